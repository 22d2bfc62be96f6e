// `cache ls`, `cache gc`: what lies in the store, and room in it. `cache export|import|push|pull`: its decisions, for others and from them.

import { wallClockMs } from "../../native/clock.ts";
import { textTable } from "../../tuner/report/text-table.ts";
import { garbage, removeItems, type StoredItem, storedItems } from "../../tuner/store/store-contents.ts";
import { badArgument, type Command, exitCodes, type Flags, type Outcome } from "../command.ts";
import { exportDecisions, importDecisions, requireFile } from "../exchange.ts";
import { pullDecisions, pushDecisions } from "../remote.ts";
import { remoteOptions } from "../remote-flags.ts";
import { sizeText } from "../size-text.ts";

const dayMs = 86_400_000;
const totalOf = (items: readonly StoredItem[]): number => items.reduce((sum, { bytes }) => sum + bytes, 0);

const kinds: Readonly<Record<StoredItem["kind"], string>> = {
  schedule: "decisions",
  artifact: "built kernels",
  blob: "their modules and addons",
  broken: "broken",
  unreadable: "unreadable, or of another version",
};

async function list(directory: string): Promise<Outcome> {
  const items = await storedItems(directory);
  const groups = Object.entries(kinds).map(([kind, name]) => ({ name, items: items.filter((it) => it.kind === kind) }));
  const rows = groups.map(({ name, items }) => [name, String(items.length), sizeText(totalOf(items))]);
  return {
    exitCode: exitCodes.done,
    json: { directory, items: items.map(({ key, kind, bytes, time }) => ({ key, kind, bytes, time })) },
    text: [directory, "", textTable(["", "count", "size"], rows)].join("\n"),
  };
}

async function collect(directory: string, days: unknown): Promise<Outcome> {
  const age = Number(days);
  if (!(age >= 0)) throw badArgument(`--days is "${days}"`, "a number, 0 or more");
  const all = await storedItems(directory);
  const items = garbage(all, wallClockMs() - age * dayMs);
  await removeItems(directory, all, items);
  const unreadable = all.filter(({ kind }) => kind === "unreadable").length;
  const kept = unreadable === 0 ? [] : [`${unreadable} could not be read, and stay, as do all modules and addons`];
  return {
    exitCode: exitCodes.done,
    json: { directory, removed: items.length, bytes: totalOf(items), unreadable },
    text: [`${items.length} removed, ${sizeText(totalOf(items))}`, ...kept].join("\n"),
  };
}

const remoteFlags = remoteOptions.map(({ flags }) => flags.slice(2).split(" ")[0]!);

/** Options that mean something to each, beside --root, --cache-dir and --json; and whether it takes a file. */
const uses: Readonly<Record<string, { readonly flags: readonly string[]; readonly file: boolean }>> = {
  ls: { flags: [], file: false },
  gc: { flags: ["days"], file: false },
  export: { flags: [], file: true },
  import: { flags: ["lockfile", "include", "numerics"], file: true },
  push: { flags: remoteFlags, file: false },
  pull: { flags: [...remoteFlags, "lockfile", "include", "numerics"], file: false },
};
const allFlags = [...new Set(Object.values(uses).flatMap(({ flags }) => flags))];

/** @throws DiagnosticError `command.bad-argument`: what does not count is refused, so that nobody believes that it does */
function requireUse(what: string, file: string | undefined, flags: Flags): void {
  const use = uses[what];
  if (!use) throw badArgument(`cache ${what}`, Object.keys(uses).join(", "));
  const other = allFlags.find((name) => flags[name] !== undefined && !use.flags.includes(name));
  const known = ["root", "cache-dir", ...use.flags].map((name) => `--${name}`).join(", ");
  if (other !== undefined) throw badArgument(`cache ${what} has no use for --${other}`, known);
  if (file !== undefined && !use.file) throw badArgument(`cache ${what} has no use for ${file}`, known);
}

export const cache: Command = {
  usage: "cache <ls|gc|export|import|push|pull> [file]",
  description:
    "What lies in the store; gc removes kernels that were built long ago, export, import, push and pull share decisions",
  options: [
    { flags: "--days <count>", description: "gc: older than this (default: 30)" },
    ...remoteOptions.map(({ flags, description }) => ({ flags, description: `push, pull: ${description}` })),
  ],
  examples: [
    "unplugin-kernel cache ls",
    "unplugin-kernel cache gc --days 7",
    "unplugin-kernel cache export decisions.jsonl",
    "unplugin-kernel cache import decisions.jsonl",
    "unplugin-kernel cache pull --remote https://kernels.example/store",
  ],
  async run(project, [what = "", file], flags) {
    requireUse(what, file, flags);
    const { days = 30 } = flags;
    const { cacheDir } = project.options;
    if (what === "ls") return list(cacheDir);
    if (what === "gc") return collect(cacheDir, days);
    if (what === "export") return exportDecisions(project, requireFile(what, file));
    if (what === "import") return importDecisions(project, requireFile(what, file));
    return what === "push" ? pushDecisions(project) : pullDecisions(project);
  },
};
