// State of a project's bundler for `doctor`: whether it has the plugin; for a program that runs from its sources, whether the scripts
// that start it have the hooks.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageManagerOf } from "../../plugin/support/package-manager.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { type FoundHost, findHost, jestJsonFiles } from "../init/find-host.ts";
import { hosts } from "../init/hosts.ts";
import { hooks, scriptsWithHooks } from "../init/node-scripts.ts";
import { type PackageJson, readPackageJson } from "../init/package-json.ts";

const mentions = (file: string, name: string): boolean => existsSync(file) && readFileSync(file, "utf8").includes(name);

/** Files other than package.json that start programs with options. */
const startFiles = ["deno.json", "deno.jsonc", "bunfig.toml"];

/** Returns what has the hooks: "script start", "deno.json". */
function placesOfHooks(root: string, packageJson: PackageJson): readonly string[] {
  const names = scriptsWithHooks(packageJson);
  const scripts = names.length === 0 ? [] : [`${names.length === 1 ? "script" : "scripts"} ${names.join(", ")}`];
  return [...scripts, ...startFiles.filter((file) => mentions(join(root, file), hooks))];
}

/** Returns the configurations that may have the plugin, as `init` wires them. */
function configurations(root: string, packageJson: PackageJson, { host, configs }: FoundHost): readonly string[] {
  if (host !== "jest") return configs;
  return [
    ...configs,
    ...jestJsonFiles(root, packageJson),
    ...("jest" in packageJson ? [join(root, "package.json")] : []),
  ];
}

/** Name of the plugin in a configuration. In package.json the dependency and the scripts have the package's name, too. */
const nameIn = (file: string): string =>
  file.endsWith(".json") ? "unplugin-kernel/jest-transformer" : "unplugin-kernel";

/** @returns null: there is no package.json, and so no project @throws DiagnosticError of `readPackageJson` and `findHost` */
export function bundlerState(root: string): string | null {
  if (!existsSync(join(root, "package.json"))) return null;
  const { json } = readPackageJson(root);
  const found = findHost(root, json, null);
  const { host } = found;
  const isStarted = hosts[host].options.kind === "scripts";
  const files = configurations(root, json, found);
  const wired = files.find((file) => mentions(file, nameIn(file)));
  const withHooks = isStarted || host === "jest" ? placesOfHooks(root, json) : [];
  const has = [
    ...(wired ? [`the plugin in ${slashPath(root, wired)}`] : []),
    ...(withHooks.length > 0 ? [`the hooks in ${withHooks.join(", ")}`] : []),
  ];
  if (isStarted ? has.length > 0 : wired) return `${host}, with ${has.join(" and ")}`;
  const without = files.length === 0 ? "without a configuration" : `no plugin in ${slashPath(root, files[0]!)}`;
  const missing = isStarted ? "no hooks in its scripts" : without;
  const init = packageManagerOf(root).execute("unplugin-kernel init");
  return `${host}, ${missing}: ${init} adds ${isStarted ? "them" : "it"}`;
}
