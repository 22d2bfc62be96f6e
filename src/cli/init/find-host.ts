// A project's folder → the bundler or framework that it is built with, and the files that configure it.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { refuse } from "../../compiler/index.ts";
import { closedBuilders, type HostName, hostNames, hosts } from "./hosts.ts";
import type { PackageJson } from "./package-json.ts";

export interface FoundHost {
  readonly host: HostName;
  /** Absolute paths of configuration files; none if the bundler goes without. */
  readonly configs: readonly string[];
}

const scriptNames = ["js", "mjs", "cjs", "ts", "mts", "cts"];
const isScript = (name: string): boolean => scriptNames.includes(name.split(".").at(-1)!);

/** `--config` in the scripts of package.json: what the bundler is started with. */
function filesInScripts(root: string, { scripts = {} }: PackageJson, host: HostName): readonly string[] {
  const commands = Object.values(scripts).filter((command) => new RegExp(`\\b${host}\\b`).test(command));
  const named = commands.flatMap((command) => /(?:^|\s)(?:--config|-c)[ =](\S+)/.exec(command)?.[1] ?? []);
  return [...new Set(named.map((file) => join(root, file)))].filter((file) => existsSync(file));
}

const configsInScripts = (root: string, packageJson: PackageJson, host: HostName): readonly string[] =>
  filesInScripts(root, packageJson, host).filter(isScript);

/** Scripts in the project's folder and in scripts/ that call a bundler. */
function scriptsThatCall(root: string, from: string): readonly string[] {
  const mention = from === "Bun" ? /\bBun\.build\b/ : new RegExp(`["']${from}["']`);
  const folders = [root, join(root, "scripts")].filter((folder) => existsSync(folder));
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return files.filter((file) => isScript(file) && mention.test(readFileSync(file, "utf8"))).sort();
}

function configsOf(root: string, packageJson: PackageJson, host: HostName): readonly string[] {
  const { options } = hosts[host];
  if (options.kind === "scripts") return [];
  if (options.kind === "called") return scriptsThatCall(root, options.from);
  const usual = scriptNames.map((extension) => join(root, `${options.file}.${extension}`));
  const named = configsInScripts(root, packageJson, host);
  return named.length > 0 ? named : usual.filter((file) => existsSync(file)).slice(0, 1);
}

const packagesIn = ({ dependencies = {}, devDependencies = {} }: PackageJson, names: readonly string[]) =>
  names.filter((name) => name in dependencies || name in devDependencies);

const hasPackage = (packageJson: PackageJson, host: HostName): boolean =>
  packagesIn(packageJson, hosts[host].packages).length > 0;

/** Says whether a project is built with it as it stands: VitePress may be there for a folder of documents, SolidStart be configured as Vite is. */
const isReady = ({ host, configs }: FoundHost): boolean => configs.length > 0 || hosts[host].newFile !== undefined;

/** Says whether a host is no choice beside another one. Jest runs the tests of what others build. */
const isPart = (it: FoundHost, other: FoundHost): boolean =>
  (hosts[other.host].parts.includes(it.host) && (isReady(other) || !isReady(it))) ||
  (it.host === "jest" && other.host !== "jest");

const withoutParts = (found: readonly FoundHost[]): readonly FoundHost[] =>
  found.filter((it) => !found.some((other) => isPart(it, other)));

/** Returns the hosts that have a configuration file, else those that need none, else all that are installed. */
function mostLikely(found: readonly FoundHost[]): readonly FoundHost[] {
  const configured = found.filter(({ configs }) => configs.length > 0);
  const ready = found.filter(({ host }) => hosts[host].newFile);
  return [configured, ready, found].find(({ length }) => length > 0) ?? [];
}

const list = (names: readonly string[]): string => names.join(", ");

/**
 * Vitest's own configuration, which takes the place of Vite's: tests import kernels, too. One that names Vite's, or that another way of
 * being configured goes with, has the plugin from there.
 */
export function vitestConfig(root: string): string | null {
  const file = scriptNames
    .map((extension) => join(root, `vitest.config.${extension}`))
    .find((path) => existsSync(path));
  return file && !/vite\.config|getViteConfig|defineVitestConfig/.test(readFileSync(file, "utf8")) ? file : null;
}

/** Says whether the project has Vitest. */
export const hasVitest = (packageJson: PackageJson): boolean => packagesIn(packageJson, ["vitest"]).length > 0;

/** Says whether Vitest finds a configuration, its own or Vite's. */
export const isVitestConfigured = (root: string): boolean =>
  ["vitest", "vite"].some((name) =>
    scriptNames.some((extension) => existsSync(join(root, `${name}.config.${extension}`))),
  );

/** Jest, in a project that another host builds; null: it has no Jest. */
export function jestBeside(root: string, packageJson: PackageJson): FoundHost | null {
  const configs = configsOf(root, packageJson, "jest");
  return configs.length > 0 || hasPackage(packageJson, "jest") ? { host: "jest", configs } : null;
}

/** Configurations of Jest that are files of JSON, the usual one and those that scripts name, as Nest's for end-to-end tests. */
export function jestJsonFiles(root: string, packageJson: PackageJson): readonly string[] {
  const named = filesInScripts(root, packageJson, "jest").filter((file) => file.endsWith(".json"));
  return [...new Set([join(root, "jest.config.json"), ...named])].filter((file) => existsSync(file));
}

/** The folder above the packages of a workspace is no program, unless it is started like one. @throws DiagnosticError `init.workspace` */
function refuseWorkspace(root: string, { workspaces, scripts = {} }: PackageJson): void {
  const isWorkspace = workspaces !== undefined || existsSync(join(root, "pnpm-workspace.yaml"));
  if (!isWorkspace || Object.values(scripts).some((command) => /^(?:node|tsx|bun run) /.test(command))) return;
  throw refuse(
    "init.workspace",
    `${root} holds the packages of a workspace, and no program of its own`,
    "run it in the folder of the package that imports kernels, or name that folder with --root",
  );
}

/**
 * @param wanted the user's choice
 * @throws DiagnosticError `init.no-bundler`, `init.several-bundlers`, `init.workspace`
 */
export function findHost(root: string, packageJson: PackageJson, wanted: HostName | null): FoundHost {
  const all = hostNames.map((host) => ({ host, configs: configsOf(root, packageJson, host) }));
  if (wanted) return all.find(({ host }) => host === wanted)!;
  const present = all.filter(({ host, configs }) => configs.length > 0 || hasPackage(packageJson, host));
  const found = mostLikely(withoutParts(present));
  const closed = packagesIn(packageJson, closedBuilders);
  const isForTestsAlone = found[0]?.host === "jest" && closed.length > 0;
  if (found.length === 1 && !isForTestsAlone) return found[0]!;
  if (found.length > 1) {
    const names = list(found.map(({ host }) => host));
    throw refuse(
      "init.several-bundlers",
      `there is more than one bundler: ${names}`,
      `say which with --host: ${names}`,
    );
  }
  refuseWorkspace(root, packageJson);
  // Without a bundler it is a program that Node runs from its sources.
  if (closed.length === 0) return { host: "node", configs: [] };
  throw refuse(
    "init.no-bundler",
    `${list(closed)} takes no plugins, and no other bundler is configured in ${root}`,
    `say which it has with --host: ${list(hostNames)}; a library that one of them builds can be imported anywhere`,
  );
}
