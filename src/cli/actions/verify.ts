// `verify`: the lock against the project's imports, its decisions against their sources, what is built of them against the
// reference, and what would ship, or has, against what is built.

import { basename, resolve } from "node:path";
import { DiagnosticError } from "../../compiler/index.ts";
import { lockNamesOf } from "../../plugin/kernel/compile/other-targets.ts";
import { verifyKernel } from "../../plugin/kernel/compile/verify-kernel.ts";
import type { ResolvedOptions } from "../../plugin/options/options.ts";
import type { ParsedRequest } from "../../plugin/request/request.ts";
import { failAlone } from "../../plugin/support/fail-alone.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { type LockEntries, readLockfile } from "../../tuner/lock/lockfile.ts";
import { type ForeignItem, foreignItems } from "../../tuner/store/foreign-items.ts";
import { type RebuildingStore, rebuildingStore } from "../../tuner/store/rebuilding-store.ts";
import type { Store } from "../../tuner/store/store.ts";
import { exitCodes, type Run } from "../project/command.ts";
import { type Project, requireFolder } from "../project/project.ts";
import { importedKernels } from "../project/wanted-kernels.ts";
import { originOf } from "../verify/origin-of.ts";
import { withOutput } from "../verify/output-targets.ts";
import {
  changedAddons,
  changedModules,
  compareOutput,
  compareShipped,
  type Foreign,
  type OutputFile,
} from "../verify/shipped.ts";

interface Row {
  readonly kernel: string;
  readonly state: "right" | "not run" | "wrong";
  readonly why: string | null;
  /** Where its decision came from, if it is from elsewhere. */
  readonly from?: string;
}

interface Checked {
  readonly row: Row;
  /** Names of the entries in the lock that it may have. */
  readonly lockNames: readonly string[];
  /** Store that it was built again with; null: it was not built. */
  readonly store: RebuildingStore | null;
}

async function check(
  { contextOf }: Project,
  options: ResolvedOptions,
  asked: ParsedRequest,
  entries: LockEntries,
): Promise<Checked> {
  const { root } = options;
  const kernel = slashPath(root, asked.path) + asked.query;
  let lockNames: readonly string[] = [];
  let store: RebuildingStore | null = null;
  const wrap = (real: Store): Store => {
    store ??= rebuildingStore(real);
    return store;
  };
  try {
    return await failAlone(kernel, null, async (): Promise<Checked> => {
      // Its operator is bundled again too, and what is built is run here.
      const context = { ...(await contextOf(asked, "frozen", { options, wrapStore: wrap })), runsFresh: false };
      const { lockName } = context;
      lockNames = lockNamesOf(context);
      const { notRun } = await verifyKernel(context);
      const { problem, notCompared } = await compareShipped(context, store!);
      const state = problem ? "wrong" : notRun ? "not run" : "right";
      if (!problem && !notRun) await store!.keep();
      const from = await originOf(context, entries.get(lockName)?.source ?? "");
      const row = { kernel, state, why: problem ?? notRun ?? notCompared, ...(from !== null && { from }) } as const;
      return { lockNames, store, row };
    });
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return { lockNames, store, row: { kernel, state: "wrong", why: error.message } };
  }
}

/** Row of an import that leads to no operator file: the project does not have the kernel that it asks for. */
const lostRow = (root: string, specifier: string, importer: string): Row => ({
  kernel: specifier,
  state: "wrong",
  why: `the import in ${slashPath(root, importer)} leads to no operator file`,
});

/** @throws DiagnosticError `command.bad-argument`, before anything is built again */
function outputFolder(root: string, given: unknown): string | null {
  if (given === undefined) return null;
  const folder = resolve(root, String(given));
  requireFolder(String(given), folder, "the folder of a build's output");
  return folder;
}

/** Rows of a build's output: each addon and module in it against what was built of the lock. */
function outputRows(folder: string | null, checked: readonly Checked[]): readonly OutputFile[] {
  if (folder === null) return [];
  const built = new Set(checked.flatMap(({ store }) => [...(store?.built() ?? [])]));
  const names = checked.map(({ row }) => basename(row.kernel).replace(/(\.op)?\.[mc]?[jt]s(\?.*)?$/, ""));
  return compareOutput(folder, built, names);
}

const foreignText = ({ what }: Foreign): string => `foreign  ${what}: not of this user's builds, and not used`;

export const run: Run = async (project, _, flags) => {
  const { lockfile, root, cacheDir } = project.options;
  const content = await readLockfile(lockfile);
  if (content.kind === "broken") throw new DiagnosticError(content.diagnostic);
  const folder = outputFolder(root, flags.output);
  const rows: Row[] = [];
  const checked: Checked[] = [];
  const kernels = await importedKernels(project, (specifier, importer) => {
    rows.push(lostRow(root, specifier, importer));
  });
  // Before anything is built again, which takes the place of what is there.
  const lying = await foreignItems(cacheDir);
  const changed = [...changedAddons(cacheDir), ...changedModules(cacheDir)];
  // One after the other: they are measured.
  const options = withOutput(project.options, folder);
  for (const request of kernels) checked.push(await check(project, options, request, content.entries));
  rows.push(...checked.map(({ row }) => row));
  const used = new Set(checked.flatMap(({ lockNames }) => lockNames));
  const unused = [...content.entries.keys()].filter((name) => !used.has(name));
  const output = outputRows(folder, checked);
  const foreign = [...named(lying, checked), ...changed];
  const isWrong = [...rows, ...output].some(({ state }) => state === "wrong");
  const lines = rows.map(({ kernel, state, why, from }) => {
    const words = [why, from].filter(Boolean).join(", ");
    return `${state.padEnd(8)} ${kernel}${words && `: ${words}`}`;
  });
  return {
    exitCode: isWrong ? exitCodes.wrong : exitCodes.done,
    json: { kernels: rows, unused, foreign, output },
    text: [
      ...lines,
      ...output.map(({ file, state }) => `${state.padEnd(8)} ${file}${outputWhy[state]}`),
      ...(folder === null || output.some(({ state }) => state !== "other") ? [] : [nothingFound(String(flags.output))]),
      ...unused.map((name) => `unused   ${name}: nothing imports it`),
      ...foreign.map(foreignText),
    ].join("\n"),
  };
};

const outputWhy = {
  right: "",
  wrong: ": it is not what is built of the lock",
  other: ": of no kernel that the project imports",
} as const;

/** No failure: a build may have left all kernels out. A slip in the path would look the same otherwise. */
const nothingFound = (output: string): string =>
  `none     of the files in ${output} is of a kernel, so nothing was compared there`;

/** Foreign items with the kernels that ask for them. */
function named(items: readonly ForeignItem[], checked: readonly Checked[]): readonly Foreign[] {
  return items.map(({ what, key }) => {
    const owner = key && checked.find(({ store }) => store?.asked.has(key));
    return { what: owner ? `${what} of ${owner.row.kernel}` : what, key };
  });
}
