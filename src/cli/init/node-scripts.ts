// The scripts of package.json that run a program from its sources → the same, with the hooks that make kernels of its imports.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type PackageFile, type PackageJson, withEntries, withInsertion } from "./package-json.ts";

/** Entry of this package that makes kernels of a program's imports. */
export const hooks = "unplugin-kernel/register";

/** Names of the scripts that have the hooks. */
export const scriptsWithHooks = ({ scripts = {} }: PackageJson): readonly string[] =>
  Object.keys(scripts).filter((name) => scripts[name]!.includes(hooks));

/** Says whether a script runs the program; others, as `build`, run tools. */
const isRun = (name: string): boolean => /^(start|dev|serve|server|watch|test|bench)(:|$)/.test(name);

interface Runner {
  /** The program with what has to stand before its other arguments. */
  readonly command: RegExp;
  readonly option: string;
}

const runners: readonly Runner[] = [
  { command: /(?<![\w./-])(?:node|tsx(?: watch)?)(?= )/, option: `--import ${hooks}` },
  { command: /(?<![\w./-])bun(?: (?:run|test))?(?= +(?:-|[\w./-]+\.[cm]?[jt]sx?\b))/, option: `--preload ${hooks}` },
  // Deno knows names of packages by their scheme.
  { command: /(?<![\w./-])deno run(?= )/, option: `--preload npm:${hooks}` },
  // `nest start` builds the program and starts it with the command of `--exec`.
  { command: /(?<![\w./-])nest start(?= |$)/, option: `--exec "node --import ${hooks}"` },
];

/** Finds the place of the hooks in a command, and their text; null: it runs no program, has them already, or is Jest, which takes none. */
function hooksIn(command: string): { readonly at: number; readonly text: string } | null {
  if (command.includes(hooks) || /\bjest\b/.test(command)) return null;
  const found = runners.flatMap(({ command: pattern, option }) => {
    const match = pattern.exec(command);
    return match ? [{ at: match.index + match[0].length, text: ` ${option}` }] : [];
  });
  return found[0] ?? null;
}

const entries = ["src/main", "src/index", "src/server", "src/app", "main", "index", "server", "app"];
const extensions = ["ts", "mts", "js", "mjs"];

/** The program's first file, by its usual names. */
const entryOf = (root: string): string | null =>
  entries
    .flatMap((name) => extensions.map((extension) => `${name}.${extension}`))
    .find((file) => existsSync(join(root, file))) ?? null;

const runsTypeScript = ({ json: { dependencies = {}, devDependencies = {} } }: PackageFile): boolean =>
  "tsx" in dependencies || "tsx" in devDependencies;

/** The command that starts a file with the hooks. */
const startCommand = (packageFile: PackageFile, file: string): string =>
  `${/\.m?ts$/.test(file) && runsTypeScript(packageFile) ? "tsx" : "node"} --import ${hooks} ${file}`;

export type WiredScripts =
  | { readonly kind: "wired" }
  | { readonly kind: "edited"; readonly text: string; readonly names: readonly string[] }
  | { readonly kind: "by-hand"; readonly why: string; readonly lines: readonly string[] };

/** @param root the project's folder */
export function wireScripts(root: string, packageFile: PackageFile): WiredScripts {
  const scripts = Object.entries(packageFile.json.scripts ?? {});
  if (scriptsWithHooks(packageFile.json).length > 0) return { kind: "wired" };
  const wanted = scripts.flatMap(([name, command]) => {
    const place = isRun(name) ? hooksIn(command) : null;
    return place ? [{ name, ...place }] : [];
  });
  if (wanted.length > 0) {
    const text = wanted.reduce(
      (edited, { name, at, text: option }) => withInsertion(edited, "scripts", name, at, option),
      packageFile.text,
    );
    return { kind: "edited", text, names: wanted.map(({ name }) => name) };
  }
  const entry = entryOf(root);
  if (entry && !packageFile.json.scripts?.start) {
    const text = withEntries(packageFile.text, "scripts", { start: startCommand(packageFile, entry) });
    return { kind: "edited", text, names: ["start"] };
  }
  return {
    kind: "by-hand",
    why: "no script of it runs a program with node, tsx, bun, deno or nest; your program is started with",
    lines: [startCommand(packageFile, entry ?? "app.js")],
  };
}
