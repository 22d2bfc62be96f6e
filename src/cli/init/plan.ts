// A project → all that wires it: files as they are to be, and what its owner has to do by hand. Nothing is written here.

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { findHost } from "./find-host.ts";
import { type HostName, hosts, pluginImport } from "./hosts.ts";
import { type PackageFile, readPackageJson, withEntries } from "./package-json.ts";
import { type FileText, starterOperator, typeReference } from "./starter-files.ts";
import { wireConfig } from "./wire-config.ts";

export interface Change extends FileText {
  readonly isNew: boolean;
  readonly what: string;
}

export interface ByHand {
  /** Absolute. */
  readonly file: string;
  readonly why: string;
  readonly lines: readonly string[];
}

export interface InitPlan {
  readonly host: HostName;
  readonly changes: readonly Change[];
  readonly byHand: readonly ByHand[];
  /** As the project's scripts import a kernel. */
  readonly exampleImport: string;
  /** To install what package.json asks for; null: it is there. */
  readonly install: string | null;
}

export interface InitRequest {
  readonly root: string;
  readonly host: HostName | null;
  /** The operator files that there are, absolute. */
  readonly operators: readonly string[];
  /** Of this package. */
  readonly version: string;
}

/** A change, or nothing where the text is that of the file. */
function change(file: string, text: string, what: string): readonly Change[] {
  const isNew = !existsSync(file);
  return !isNew && readFileSync(file, "utf8") === text ? [] : [{ file, text, isNew, what }];
}

function newConfig(host: HostName, defineConfig: string | null): string {
  const options = "{\n  plugins: [kernel()],\n}";
  return defineConfig === null
    ? `${pluginImport(host, false)}\n\nexport default ${options};\n`
    : `import { defineConfig } from "${defineConfig}";\n${pluginImport(host, false)}\n\nexport default defineConfig(${options});\n`;
}

const whatConfig = "the plugin";

function wireHost(root: string, host: HostName, configs: readonly string[]): Pick<InitPlan, "changes" | "byHand"> {
  const { newFile, options } = hosts[host];
  if (configs.length > 0) {
    const wired = configs.map((file) => ({ file, wiring: wireConfig(readFileSync(file, "utf8"), host) }));
    return {
      changes: wired.flatMap(({ file, wiring }) =>
        wiring.kind === "edited" ? change(file, wiring.text, whatConfig) : [],
      ),
      byHand: wired.flatMap(({ file, wiring }) => (wiring.kind === "by-hand" ? [{ file, ...wiring }] : [])),
    };
  }
  if (newFile && options.kind === "exported") {
    // TypeScript's own loaders differ from bundler to bundler: only those who define a configuration read it alike.
    const isTypeScript = newFile.defineConfig !== null && existsSync(join(root, "tsconfig.json"));
    const file = join(root, `${options.file}.${isTypeScript ? "ts" : "mjs"}`);
    return { changes: change(file, newConfig(host, newFile.defineConfig), whatConfig), byHand: [] };
  }
  const file = join(root, options.kind === "exported" ? `${options.file}.mjs` : "build.mjs");
  const why =
    options.kind === "exported"
      ? "there is none, and only you know what is to be built"
      : `no script calls ${options.from}: its plugins are given to ${options.functions.map((name) => `${name}()`).join(" or ")}`;
  return { changes: [], byHand: [{ file, why, lines: [pluginImport(host, false), "plugins: [kernel()],"] }] };
}

/** Patterns of imports that lead to the operators; those that a project has are its own. */
function importPatterns({ json }: PackageFile, folder: string): Readonly<Record<string, string>> {
  if (Object.keys(json.imports ?? {}).some((key) => key.startsWith("#op/"))) return {};
  const target = folder === "" ? "./*" : `./${folder}/*`;
  return { "#op/*?tune=wasm": target, "#op/*?tune=native": target, "#op/*": target };
}

const missing = (entries: Readonly<Record<string, string>>, ...present: readonly (object | undefined)[]) =>
  Object.fromEntries(Object.entries(entries).filter(([key]) => !present.some((them) => them && key in them)));

function wirePackage(packageFile: PackageFile, folder: string, version: string): readonly Change[] {
  const { file, text, json } = packageFile;
  const added = [
    { section: "imports", entries: importPatterns(packageFile, folder), what: "imports of kernels (#op/*)" },
    { section: "scripts", entries: missing({ tune: "unplugin-kernel tune" }, json.scripts), what: "script tune" },
    {
      section: "devDependencies",
      entries: missing({ "unplugin-kernel": `^${version}` }, json.dependencies, json.devDependencies),
      what: "the dependency",
    },
  ] as const;
  const whole = added.reduce((edited, { section, entries }) => withEntries(edited, section, entries), text);
  const what = added.filter(({ entries }) => Object.keys(entries).length > 0).map((one) => one.what);
  return change(file, whole, what.join(", "));
}

const lockfiles: Readonly<Record<string, string>> = {
  "pnpm-lock.yaml": "pnpm install",
  "yarn.lock": "yarn install",
  "bun.lock": "bun install",
  "bun.lockb": "bun install",
};

const installCommand = (root: string): string =>
  Object.entries(lockfiles).find(([name]) => existsSync(join(root, name)))?.[1] ?? "npm install";

const withSlashes = (path: string): string => path.replaceAll("\\", "/");

/** "layer-norm.op.ts" → "layerNorm" */
const nameOf = (operator: string): string =>
  basename(operator)
    .split(".")[0]!
    .replace(/\W+(\w?)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^\d/, "_$&");

/** @throws DiagnosticError of `readPackageJson` and `findHost` */
export function planInit({ root, host: wanted, operators, version }: InitRequest): InitPlan {
  const packageFile = readPackageJson(root);
  const { host, configs } = findHost(root, packageFile.json, wanted);
  const operator = operators[0] ?? join(root, "src/kernels/gemm.op.ts");
  const folder = withSlashes(relative(root, dirname(operator)));
  const wired = wireHost(root, host, configs);
  const types = typeReference(root);
  return {
    host,
    changes: [
      ...wired.changes,
      ...wirePackage(packageFile, folder, version),
      ...(operators.length > 0 ? [] : change(operator, starterOperator, "an operator to begin with")),
      ...(types ? change(types.file, types.text, "the types of imports of kernels") : []),
    ],
    byHand: wired.byHand,
    exampleImport: `import ${nameOf(operator)} from "#op/${basename(operator)}?tune=wasm";`,
    install: existsSync(join(root, "node_modules/unplugin-kernel")) ? null : installCommand(root),
  };
}
