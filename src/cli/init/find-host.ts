// A project's folder → the bundler that it is built with, and the files that configure it.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticError } from "../../compiler/index.ts";
import { type HostName, hostNames, hosts } from "./hosts.ts";
import type { PackageJson } from "./package-json.ts";

export interface FoundHost {
  readonly host: HostName;
  /** Absolute; none if the bundler goes without. */
  readonly configs: readonly string[];
}

const scriptNames = ["js", "mjs", "cjs", "ts", "mts", "cts"];
const isScript = (name: string): boolean => scriptNames.includes(name.split(".").at(-1)!);

/** `--config` in the scripts of package.json: what the bundler is started with. */
function configsInScripts(root: string, { scripts = {} }: PackageJson, host: HostName): readonly string[] {
  const commands = Object.values(scripts).filter((command) => new RegExp(`\\b${host}\\b`).test(command));
  const named = commands.flatMap((command) => /(?:^|\s)(?:--config|-c)[ =](\S+)/.exec(command)?.[1] ?? []);
  return [...new Set(named.map((file) => join(root, file)))].filter((file) => isScript(file) && existsSync(file));
}

/** Scripts in the project's folder and in scripts/ that call a bundler. */
function scriptsThatCall(root: string, from: string): readonly string[] {
  const mention = from === "Bun" ? /\bBun\.build\b/ : new RegExp(`["']${from}["']`);
  const folders = [root, join(root, "scripts")].filter((folder) => existsSync(folder));
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return files.filter((file) => isScript(file) && mention.test(readFileSync(file, "utf8"))).sort();
}

function configsOf(root: string, packageJson: PackageJson, host: HostName): readonly string[] {
  const { options } = hosts[host];
  if (options.kind === "called") return scriptsThatCall(root, options.from);
  const usual = scriptNames.map((extension) => join(root, `${options.file}.${extension}`));
  const named = configsInScripts(root, packageJson, host);
  return named.length > 0 ? named : usual.filter((file) => existsSync(file)).slice(0, 1);
}

const hasPackage = ({ dependencies = {}, devDependencies = {} }: PackageJson, host: HostName): boolean =>
  hosts[host].packages.some((name) => name in dependencies || name in devDependencies);

const withoutParts = (found: readonly FoundHost[]): readonly FoundHost[] =>
  found.filter(({ host }) => !found.some((other) => hosts[other.host].parts.includes(host)));

/** Those that are configured, else those that need not be, else those that are installed. */
function mostLikely(found: readonly FoundHost[]): readonly FoundHost[] {
  const configured = found.filter(({ configs }) => configs.length > 0);
  const ready = found.filter(({ host }) => hosts[host].newFile);
  return [configured, ready, found].find(({ length }) => length > 0) ?? [];
}

const list = (names: readonly string[]): string => names.join(", ");

/**
 * @param wanted the user's choice
 * @throws DiagnosticError `init.no-bundler`, `init.several-bundlers`
 */
export function findHost(root: string, packageJson: PackageJson, wanted: HostName | null): FoundHost {
  const all = hostNames.map((host) => ({ host, configs: configsOf(root, packageJson, host) }));
  if (wanted) return all.find(({ host }) => host === wanted)!;
  const present = all.filter(({ host, configs }) => configs.length > 0 || hasPackage(packageJson, host));
  const found = mostLikely(withoutParts(present));
  if (found.length === 1) return found[0]!;
  const names = found.map(({ host }) => host);
  const isNone = found.length === 0;
  throw new DiagnosticError({
    code: isNone ? "init.no-bundler" : "init.several-bundlers",
    message: isNone
      ? `neither a configuration file nor package.json names a bundler in ${root}`
      : `there is more than one bundler: ${list(names)}`,
    loc: null,
    hint: `say which with --host: ${list(isNone ? hostNames : names)}`,
    detail: null,
  });
}
