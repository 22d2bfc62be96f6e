// A project → all that wires it: files as they are to be, and what its owner has to do by hand. Nothing is written here.

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { declarationsPlace } from "../../plugin/declarations/declarations-file.ts";
import { ownCondition } from "../../plugin/request/locate-operator.ts";
import { isInstalled, packageManagerOf } from "../../plugin/support/package-manager.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { NotUnderstood } from "./config-objects.ts";
import {
  type FoundHost,
  findHost,
  hasVitest,
  isVitestConfigured,
  jestBeside,
  jestJsonFiles,
  vitestConfig,
} from "./find-host.ts";
import { type HostName, hosts } from "./hosts.ts";
import { wireJestJson } from "./jest-json.ts";
import { attributesWithDriver, driverCommand, isMergeWired } from "./merge-driver.ts";
import { wireScripts } from "./node-scripts.ts";
import { type Entries, type PackageFile, type PackageJson, readPackageJson, withEntries } from "./package-json.ts";
import { handLines, newConfig, pluginUse } from "./plugin-text.ts";
import { type FileText, filesWithGeneralTypes, starterOperator } from "./starter-files.ts";
import { hasAmbiguousRoot, tsconfigsThatMiss } from "./tsconfigs.ts";
import { wireConfig } from "./wire-config.ts";

export interface Change extends FileText {
  readonly isNew: boolean;
  readonly what: string;
}

export interface ByHand {
  /** Absolute path. */
  readonly file: string;
  readonly why: string;
  readonly lines: readonly string[];
}

export interface InitPlan {
  readonly host: HostName;
  readonly changes: readonly Change[];
  readonly byHand: readonly ByHand[];
  /** Import of a kernel as the project's scripts write it. */
  readonly exampleImport: string;
  /** The file of declarations, absolute; null: the project needs none. */
  readonly declarations: string | null;
  /** Command that installs what package.json asks for; null: it is there. */
  readonly install: string | null;
  /** Command that runs the script `tune`. */
  readonly tune: string;
  /** Command that tells git how lock files are merged; null: the project is in no repository, or has been told. */
  readonly mergeDriver: string | null;
}

export interface InitRequest {
  readonly root: string;
  readonly host: HostName | null;
  /** The operator files that there are, absolute. */
  readonly operators: readonly string[];
  /** Version of this package. */
  readonly version: string;
  /** The file of declarations that there is, absolute. */
  readonly written: string | null;
}

/** A change, or nothing where the text is that of the file. */
function change(file: string, text: string, what: string): readonly Change[] {
  const isNew = !existsSync(file);
  return !isNew && readFileSync(file, "utf8") === text ? [] : [{ file, text, isNew, what }];
}

const whatConfig = "the plugin";

type Wired = Pick<InitPlan, "changes" | "byHand">;

function wireFile(file: string, host: HostName, dts: string | null): Wired {
  const wiring = wireConfig(readFileSync(file, "utf8"), host, dts);
  return {
    changes: wiring.kind === "edited" ? change(file, wiring.text, whatConfig) : [],
    byHand: wiring.kind === "by-hand" ? [{ file, ...wiring }] : [],
  };
}

/** Writes a configuration where there is none, and a bundler knows what to build without one. */
function wireNew(root: string, host: HostName, dts: string | null): Wired {
  const { newFile, options } = hosts[host];
  const use = pluginUse(host, dts);
  if (newFile && options.kind === "exported") {
    // TypeScript's own loaders differ from bundler to bundler: only those who define a configuration read it alike.
    const isRead = newFile.defineConfig !== null || options.site !== "list";
    const isTypeScript = isRead && !newFile.isScript && hasTypeScript(root);
    const file = join(root, `${options.file}.${isTypeScript ? "ts" : "mjs"}`);
    return { changes: change(file, newConfig(use, newFile.defineConfig), whatConfig), byHand: [] };
  }
  const file = join(root, options.kind === "exported" ? `${options.file}.mjs` : "build.mjs");
  const why =
    options.kind === "called"
      ? `no script calls ${options.from}: its plugins are given to ${options.functions.map((name) => `${name}()`).join(" or ")}`
      : "there is none, and only you know what is to be built";
  return { changes: [], byHand: [{ file, why, lines: handLines(use, false) }] };
}

const together = (wired: readonly Wired[]): Wired => ({
  changes: wired.flatMap(({ changes }) => changes),
  byHand: wired.flatMap(({ byHand }) => byHand),
});

function wireHost(root: string, { host, configs }: FoundHost, dts: string | null): Wired {
  if (hosts[host].options.kind === "scripts") return together([]);
  return together(configs.length > 0 ? configs.map((file) => wireFile(file, host, dts)) : [wireNew(root, host, dts)]);
}

const moveJest = (why: string): string => `${why}: move Jest's configuration to jest.config.mjs`;

/** The text with the plugin in Jest's configuration, or the owner's task to put it there. */
function wireJsonOfJest(file: string, text: string, section: string | null): { text: string } & Wired {
  try {
    const wired = wireJestJson(text, section);
    return { text: wired, changes: change(file, wired, whatConfig), byHand: [] };
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    const lines = handLines(pluginUse("jest", null), false);
    return { text, changes: [], byHand: [{ file, why: moveJest(error.message), lines }] };
  }
}

/** The plugin where tests have it from: Vitest's own configuration, or a new one in a project that is not built by Vite. */
function wireVitest(root: string, host: HostName, packageJson: PackageJson): readonly Wired[] {
  const there = vitestConfig(root);
  if (there) return [wireFile(there, "vite", null)];
  const isMissing = host !== "vite" && hasVitest(packageJson) && !isVitestConfigured(root);
  const file = join(root, `vitest.config.${hasTypeScript(root) ? "ts" : "mjs"}`);
  const text = newConfig(pluginUse("vite", null), "vitest/config");
  return isMissing ? [{ changes: change(file, text, "the plugin in tests"), byHand: [] }] : [];
}

/** Jest's configurations in files of their own. One in package.json is wired with the rest of that file. */
function wireJest(root: string, packageFile: PackageFile): readonly Wired[] {
  const jest = jestBeside(root, packageFile.json);
  if (jest === null) return [];
  const files = jestJsonFiles(root, packageFile.json);
  const isJson = "jest" in packageFile.json || (files.length > 0 && jest.configs.length === 0);
  return [
    ...files.map((file) => wireJsonOfJest(file, readFileSync(file, "utf8"), null)),
    ...(isJson ? [] : [wireHost(root, jest, null)]),
  ];
}

/** Tests import kernels, too: the plugin for test runners that are not a part of the host. */
const wireTests = (root: string, packageFile: PackageFile, host: HostName): Wired =>
  together([...wireVitest(root, host, packageFile.json), ...wireJest(root, packageFile)]);

/**
 * A pattern of imports that leads to the operators; those that a project has are its own. One that names the query, as TypeScript would
 * follow, makes Turbopack take the plain operator; TypeScript has generated declarations. Where TypeScript would refuse the pattern, its
 * types lie elsewhere and its target is for us alone: ts-jest gives it an output folder, and no root.
 */
function importPatterns({ file, json }: PackageFile, host: HostName, folder: string): Entries {
  if (Object.keys(json.imports ?? {}).some((key) => key.startsWith("#op/"))) return {};
  const target = folder === "" ? "./*" : `./${folder}/*`;
  const isRefused = host !== "next" && (hasAmbiguousRoot(dirname(file)) || "ts-jest" in { ...json.devDependencies });
  return { "#op/*": isRefused ? { types: "unplugin-kernel/kernel", [ownCondition]: target } : target };
}

const missing = (entries: Entries, ...present: readonly (object | undefined)[]) =>
  Object.fromEntries(Object.entries(entries).filter(([key]) => !present.some((them) => them && key in them)));

function wirePackage(packageFile: PackageFile, host: HostName, folder: string, version: string): Wired {
  const { file, json } = packageFile;
  const tests = "jest" in json ? wireJsonOfJest(file, packageFile.text, "jest") : { ...packageFile, byHand: [] };
  const { text } = tests;
  const isRunFromSources = hosts[host].options.kind === "scripts" || host === "jest";
  const scripts = isRunFromSources ? wireScripts(dirname(file), { ...packageFile, text }) : null;
  const wiredText = scripts?.kind === "edited" ? scripts.text : text;
  const added = [
    { section: "imports", entries: importPatterns(packageFile, host, folder), what: "imports of kernels (#op/*)" },
    { section: "scripts", entries: missing({ tune: "unplugin-kernel tune" }, json.scripts), what: "script tune" },
    {
      section: "devDependencies",
      entries: missing({ "unplugin-kernel": `^${version}` }, json.dependencies, json.devDependencies),
      what: "the dependency",
    },
  ] as const;
  const whole = added.reduce((edited, { section, entries }) => withEntries(edited, section, entries), wiredText);
  const what = [
    ...(text === packageFile.text ? [] : ["the plugin in Jest's configuration"]),
    ...(scripts?.kind === "edited" ? [`${hooksOf(scripts.names)}`] : []),
    ...added.filter(({ entries }) => Object.keys(entries).length > 0).map((one) => one.what),
  ];
  return {
    changes: change(file, whole, what.join(", ")),
    // A library that Jest tests need not have a program.
    byHand: [...tests.byHand, ...(scripts?.kind === "by-hand" && host !== "jest" ? [{ file, ...scripts }] : [])],
  };
}

const hooksOf = (names: readonly string[]): string =>
  `the hooks in ${names.length === 1 ? "script" : "scripts"} ${names.join(", ")}`;

/** "layer-norm.op.ts" → "layerNorm" */
const nameOf = (operator: string): string =>
  basename(operator)
    .split(".")[0]!
    .replace(/\W+(\w?)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^\d/, "_$&");

const hasTypeScript = (root: string): boolean => existsSync(join(root, "tsconfig.json"));

/** Returns the folder of the sources: src/, or app/ in Nuxt and React Router. Next has its routes in app/, so it is not taken there. */
function sourcesOf(root: string, host: HostName): string {
  const usual = host === "next" ? ["src"] : ["src", "app"];
  return usual.find((name) => existsSync(join(root, name))) ?? (host === "next" ? "" : "src");
}

/** Path for declarations; null: TypeScript knows the imports already, or the project has no TypeScript. */
function declarationsOf({ root, written }: InitRequest, operator: string): string | null {
  if (!hasTypeScript(root)) return null;
  return written ?? (filesWithGeneralTypes(root).length > 0 ? null : declarationsPlace(root, operator));
}

/** The attribute by which git merges lock files with our driver, in a repository that does not have it. */
function wireMerges(root: string): readonly Change[] {
  const text = attributesWithDriver(root);
  return text === null ? [] : change(join(root, ".gitattributes"), text, "lock files are merged by entry");
}

/** @throws DiagnosticError of `readPackageJson` and `findHost` */
export function planInit(request: InitRequest): InitPlan {
  const { root, host: wanted, operators, version } = request;
  const packageFile = readPackageJson(root);
  const found = findHost(root, packageFile.json, wanted);
  const operator = operators[0] ?? join(root, sourcesOf(root, found.host), "kernels/gemm.op.ts");
  const folder = slashPath(root, dirname(operator));
  const declarations = declarationsOf(request, operator);
  const dts = declarations && slashPath(root, declarations);
  const wired = together([
    ...(found.host === "jest" ? [] : [wireHost(root, found, dts)]),
    wireTests(root, packageFile, found.host),
  ]);
  const wiredPackage = wirePackage(packageFile, found.host, folder, version);
  const manager = packageManagerOf(root);
  return {
    host: found.host,
    changes: [
      ...wired.changes,
      ...wiredPackage.changes,
      ...(declarations ? tsconfigsThatMiss(root, declarations) : []).flatMap(({ file, text }) =>
        change(file, text, "the types of imports of kernels among its files"),
      ),
      ...(operators.length > 0 ? [] : change(operator, starterOperator, "an operator to begin with")),
      ...wireMerges(root),
    ],
    byHand: [...wired.byHand, ...wiredPackage.byHand],
    declarations,
    exampleImport: `import ${nameOf(operator)} from "#op/${basename(operator)}?tune=wasm";`,
    install: isInstalled(root, "unplugin-kernel") ? null : manager.install,
    tune: manager.run("tune"),
    mergeDriver: isMergeWired(root) ? null : driverCommand(manager),
  };
}
