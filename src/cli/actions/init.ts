// `init`: makes a project one that tunes its kernels. It asks nothing, changes nothing that it does not understand, and may be run again.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";

import { writtenDeclarations } from "../../plugin/declarations/declarations-file.ts";
import { findOperators } from "../../plugin/declarations/find-imports.ts";
import { type DeclarationOptions, projectDeclarations } from "../../plugin/declarations/project-declarations.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { hasText, writeIfChanged } from "../../plugin/support/write-if-changed.ts";
import { badArgument, type Flags } from "../flags/flags.ts";
import { type HostName, hostNames } from "../init/hosts.ts";
import type { ByHand, Change, InitPlan } from "../init/plan.ts";
import { exitCodes, type Run } from "../project/command.ts";

/** @throws DiagnosticError `command.bad-argument` */
function hostOf({ host }: Flags): HostName | null {
  if (host === undefined) return null;
  const known = hostNames.find((name) => name === host);
  if (!known) throw badArgument(`--host is "${host}"`, hostNames.join(", "));
  return known;
}

const ownVersion = (): string => createRequire(import.meta.url)("unplugin-kernel/package.json").version;

const done = { new: ["written", "would be written"], edited: ["edited", "would be edited"] } as const;

const stateOf = ({ isNew }: Pick<Change, "isNew">, isDryRun: boolean): string =>
  done[isNew ? "new" : "edited"][isDryRun ? 1 : 0];

function nextSteps({ install, exampleImport, tune, mergeDriver }: InitPlan): readonly string[] {
  return [
    ...(install ? [install] : []),
    `${exampleImport}   in your code: a function over typed arrays`,
    `${tune}   finds its fastest schedule, in half a minute at most, as the first build does; writes kernels.lock.json`,
    "git add kernels.lock.json   builds and CI take it from there and measure nothing",
    ...(mergeDriver ? [`${mergeDriver}   once in each clone: branches that tuned merge without a conflict`] : []),
  ];
}

/** The types of all imports, when all else is written: an operator has to be there to be read. */
async function writeTypes(
  options: DeclarationOptions,
  file: string | null,
  isDryRun: boolean,
): Promise<readonly Omit<Change, "text">[]> {
  if (file === null) return [];
  const isNew = !existsSync(file);
  const change = { file, isNew, what: "the types of imports of kernels" };
  if (isDryRun && isNew) return [change];
  // A build tells of mistakes in imports.
  const { text } = await projectDeclarations(options, file, () => {});
  if (hasText(file, text)) return [];
  if (!isDryRun) writeIfChanged(file, text);
  return [change];
}

const handLines = (name: string, { why, lines }: ByHand): readonly string[] => [
  `by hand: ${name}: ${why}; add`,
  ...lines.map((line) => `    ${line}`),
];

export const run: Run = async ({ options }, _, flags) => {
  const { root, accepts } = options;
  const isDryRun = Boolean(flags.dryRun);
  const [{ planInit }, { replaceFile }, { offeredCompiler }] = await Promise.all([
    import("../init/plan.ts"),
    import("../../native/file/replace-file.ts"),
    import("../init/offer-compiler.ts"),
  ]);
  const operators = await findOperators(root, accepts);
  const written = await writtenDeclarations(root);
  const plan = planInit({ root, host: hostOf(flags), operators, version: ownVersion(), written });
  if (!isDryRun) for (const { file, text } of plan.changes) replaceFile(file, text);
  const types = await writeTypes(options, plan.declarations, isDryRun);
  const nameOf = (file: string): string => slashPath(root, file);
  const changes = [...plan.changes, ...types].map((change) => ({
    file: nameOf(change.file),
    state: stateOf(change, isDryRun),
    what: change.what,
  }));
  const byHand = plan.byHand.map(({ file, why, lines }) => ({ file: nameOf(file), why, lines }));
  const isDone = changes.length + byHand.length === 0;
  const offer = await offeredCompiler(root, accepts);
  const next = [...(isDone ? [] : nextSteps(plan)), ...(offer ? [offer] : [])];
  const text = [
    ...changes.map(({ file, state, what }) => `${state} ${file}: ${what}`),
    ...plan.byHand.flatMap((one) => handLines(nameOf(one.file), one)),
    ...(isDone
      ? [`nothing to do: ${plan.host} has the ${plan.host === "node" ? "hooks" : "plugin"}, and package.json the rest`]
      : []),
    ...(next.length > 0 ? ["next:"] : []),
    ...next.map((line) => `    ${line}`),
  ];
  return {
    exitCode: byHand.length > 0 ? exitCodes.byHand : exitCodes.done,
    json: { host: plan.host, changes, byHand, next },
    text: text.join("\n"),
  };
};
