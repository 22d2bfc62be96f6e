// `cache ls`, `cache gc`: what lies in the store, and room in it. `cache export|import|push|pull`: its decisions, for others and from them.

import { wallClockMs } from "../../native/machine/clock.ts";
import { placeOf } from "../../plugin/trust/outside-decision.ts";
import { textTable } from "../../tuner/report/text-table.ts";
import { garbage, removeItems, totalBytes } from "../../tuner/store/garbage.ts";
import { leftovers, removeLeftovers } from "../../tuner/store/leftovers.ts";
import { type StoredItem, storedItems } from "../../tuner/store/store-contents.ts";
import { provenances } from "../../tuner/store/store-entry.ts";
import { storeProblems } from "../../tuner/store/store-problems.ts";
import { exportDecisions, importDecisions, requireFile } from "../decisions/exchange.ts";
import { pullDecisions, pushDecisions } from "../decisions/remote.ts";
import { generateKey, signFile, signLock } from "../decisions/signing.ts";
import { checkFile, listTrust } from "../decisions/trusted.ts";
import { badArgument, type Flags } from "../flags/flags.ts";
import { remoteOptions } from "../flags/remote-flags.ts";
import { sizeOf, sizeText } from "../flags/size-text.ts";
import { inCamelCase } from "../flags/typed-values.ts";
import { exitCodes, type Outcome, type Run } from "../project/command.ts";

const dayMs = 86_400_000;
const kinds: Readonly<Record<StoredItem["kind"], string>> = {
  schedule: "decisions",
  artifact: "built kernels",
  blob: "their modules and addons",
  broken: "broken",
  unreadable: "unreadable, or of another version",
};

async function list(directory: string, root: string): Promise<Outcome> {
  const items = await storedItems(directory);
  const problems = storeProblems(directory, root);
  const groups = Object.entries(kinds).map(([kind, name]) => ({ name, items: items.filter((it) => it.kind === kind) }));
  const outside = provenances.flatMap((kind) =>
    [true, false].map((isSigned) => ({
      name: `  from ${placeOf({ kind })}, ${isSigned ? "signed" : "not signed"}`,
      items: items.filter((it) => it.from === kind && it.isSigned === isSigned),
    })),
  );
  const shown = groups.flatMap((group, at) =>
    at > 0 ? [group] : [group, ...outside.filter((it) => it.items.length > 0)],
  );
  const rows = shown.map(({ name, items }) => [name, String(items.length), sizeText(totalBytes(items))]);
  return {
    exitCode: exitCodes.done,
    json: {
      directory,
      items: items.map(({ key, kind, bytes, time, used, from, isSigned }) => ({
        key,
        kind,
        bytes,
        time,
        used,
        ...(from && { from, isSigned }),
      })),
      problems,
    },
    text: [directory, "", textTable(["", "count", "size"], rows), ...problems.map(({ text }) => text)].join("\n"),
  };
}

async function collect(directory: string, flags: Flags): Promise<Outcome> {
  const { days = 30, maxSize } = flags;
  const age = Number(days);
  if (!(age >= 0)) throw badArgument(`--days is "${days}"`, "a number, 0 or more");
  const mostBytes = maxSize === undefined ? undefined : sizeOf(String(maxSize));
  if (mostBytes === null) throw badArgument(`--max-size is "${maxSize}"`, "a size: 500MB, 2 GB, 1TiB");
  const now = wallClockMs();
  const all = await storedItems(directory);
  const items = garbage(all, { usedBefore: now - age * dayMs, now, ...(mostBytes !== undefined && { mostBytes }) });
  const gone = new Set(items);
  const left = leftovers(
    directory,
    all.filter((item) => !gone.has(item)),
    now,
  );
  const keptItems = new Set(await removeItems(directory, all, items));
  const keptFiles = new Set(removeLeftovers(left));
  const removedItems = items.filter((item) => !keptItems.has(item));
  const removedFiles = left.filter((file) => !keptFiles.has(file));
  const bytes = totalBytes(removedItems) + removedFiles.reduce((sum, file) => sum + file.bytes, 0);
  const refused = keptItems.size + keptFiles.size;
  const unreadable = all.filter(({ kind }) => kind === "unreadable").length;
  const notes = [
    ...(removedFiles.length === 0
      ? []
      : [`${removedFiles.length} of them files that killed builds left, or that no kernel names`]),
    ...(refused === 0 ? [] : [`${refused} could not be removed: they belong to somebody else, or are in use`]),
    ...(unreadable === 0 ? [] : [`${unreadable} could not be read, and stay, as do all modules and addons`]),
  ];
  const removed = removedItems.length + removedFiles.length;
  return {
    exitCode: exitCodes.done,
    json: { directory, removed, leftovers: removedFiles.length, bytes, refused, unreadable },
    text: [`${removed} removed, ${sizeText(bytes)}`, ...notes].join("\n"),
  };
}

const remoteFlags = remoteOptions.map(({ flags }) => flags.slice(2).split(" ")[0]!);

/** Options that mean something to each, beside --root, --cache-dir and --json; and whether it takes a file. */
const uses: Readonly<Record<string, { readonly flags: readonly string[]; readonly file: boolean }>> = {
  ls: { flags: [], file: false },
  gc: { flags: ["days", "max-size"], file: false },
  export: { flags: [], file: true },
  import: { flags: ["trust", "lockfile", "include", "numerics"], file: true },
  push: { flags: [...remoteFlags, "sign", "key", "include", "numerics"], file: false },
  pull: { flags: [...remoteFlags, "trust", "lockfile", "include", "numerics"], file: false },
  keygen: { flags: ["id", "out"], file: false },
  sign: { flags: ["lock", "lockfile", "key", "keyless"], file: true },
  trust: { flags: ["trust", "lockfile"], file: true },
};
const allFlags = [...new Set(Object.values(uses).flatMap(({ flags }) => flags))];

/** @throws DiagnosticError `command.bad-argument`: what does not count is refused, so that nobody believes that it does */
function requireUse(what: string, file: string | undefined, flags: Flags): void {
  const use = uses[what];
  if (!use) throw badArgument(`cache ${what}`, Object.keys(uses).join(", "));
  const other = allFlags.find((name) => flags[inCamelCase(name)] !== undefined && !use.flags.includes(name));
  const known = ["root", "cache-dir", ...use.flags].map((name) => `--${name}`).join(", ");
  if (other !== undefined) throw badArgument(`cache ${what} has no use for --${other}`, known);
  if (file !== undefined && !use.file) throw badArgument(`cache ${what} has no use for ${file}`, known);
  if (flags.lock && file !== undefined) throw badArgument(`cache sign is given both ${file} and --lock`, "one of them");
  if (flags.lock && flags.keyless)
    throw badArgument(
      "cache sign --lock has no use for --keyless",
      "a key: entries of the lock are signed by keys alone",
    );
  if (what === "push" && flags.key !== undefined && !flags.sign)
    throw badArgument("cache push has no use for --key without --sign", "both of them, or none");
}

export const run: Run = async (project, [what = "", file], flags) => {
  requireUse(what, file, flags);
  const { cacheDir, root } = project.options;
  if (what === "ls") return list(cacheDir, root);
  if (what === "gc") return collect(cacheDir, flags);
  if (what === "export") return exportDecisions(project, requireFile(what, file));
  if (what === "import") return importDecisions(project, requireFile(what, file));
  if (what === "keygen") return generateKey(project, flags);
  if (what === "sign") return flags.lock ? signLock(project, flags) : signFile(project, requireFile(what, file), flags);
  if (what === "trust") return file === undefined ? listTrust(project) : checkFile(project, file);
  return what === "push" ? pushDecisions(project, flags) : pullDecisions(project, flags);
};
