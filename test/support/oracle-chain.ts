// The oracle chain of many cases: evaluate = interpret(naive nest) = interpret(scheduled nest) = JavaScript =
// interpret(after every pass) = WASM = relaxed WASM = C. The C kernels of a batch go into one addon.

import { setFlagsFromString } from "node:v8";
import { lower } from "../../src/compiler/backend/lower.ts";
import {
  type CSource,
  compileJs,
  generateC,
  generateJs,
  generateWasm,
  type LoopFunc,
  printDiagnostic,
  printTrace,
  type Target,
  targets,
} from "../../src/compiler/index.ts";
import { splitPreparation } from "../../src/compiler/launch/split-preparation.ts";
import type { Toolchain } from "../../src/native/toolchain/toolchain.ts";
import { compileAll, toolchains } from "../native/compiled.ts";
import { type ChainCase, isIllegal } from "./random-schedule.ts";
import { wrongJs, wrongNative, wrongNest, wrongPrepared, wrongWasm } from "./reference.ts";

// Node 20 has it behind this option, later engines have it on.
setFlagsFromString("--experimental-wasm-relaxed-simd");

export interface ChainReport {
  /** Results compared with the reference: operator → link of the chain → how many. */
  readonly counts: Map<string, Record<string, number>>;
  /** Messages of `check` about samples that it refused, of `drawn`. */
  readonly rejected: string[];
  readonly failures: string[];
  /** Target → schedules drawn for it. */
  readonly targets: Map<string, number>;
  drawn: number;
}

export const newReport = (): ChainReport => ({
  counts: new Map(),
  rejected: [],
  failures: [],
  targets: new Map(),
  drawn: 0,
});

/** "C gcc" */
const linkOf = ({ family }: Toolchain): string => `C ${family}`;

/** The links that every operator must have been through; the relaxed twin is there for numerics "fast" alone. */
export const links: readonly string[] = ["naive", "scheduled", "JS", "passes", "WASM", ...toolchains.map(linkOf)];

/** Runs the cases, adding to the report. */
export async function runCases(report: ChainReport, cases: Iterable<ChainCase>): Promise<void> {
  const compiled: Compiled[] = [];
  for (const it of cases) {
    report.drawn += 1;
    report.targets.set(it.target.name, (report.targets.get(it.target.name) ?? 0) + 1);
    if (isIllegal(it.scheduled)) report.rejected.push(describeCase(it, printDiagnostic(it.scheduled)));
    else compiled.push(...runCase(report, it, it.scheduled));
  }
  for (const numerics of ["fast", "strict"] as const) {
    const batch = compiled.filter(({ source }) => source.numerics === numerics);
    if (batch.length === 0) continue;
    for (const toolchain of toolchains) await runNative(report, batch, toolchain);
  }
}

interface Compiled {
  readonly it: ChainCase;
  readonly source: CSource;
}

async function runNative(report: ChainReport, batch: readonly Compiled[], toolchain: Toolchain): Promise<void> {
  const kernels = await compileAll(
    batch.map(({ source }) => source),
    { toolchain },
  );
  batch.forEach(({ it }, index) => {
    note(report, it, linkOf(toolchain), wrongNative(it.reference, kernels, index));
  });
}

/** All links but C, whose text is given back. A case for a C target runs on WASM too, and the other way round. */
function runCase(report: ChainReport, it: ChainCase, scheduled: LoopFunc): readonly Compiled[] {
  const { reference, numerics } = it;
  note(report, it, "naive", wrongNest(reference, reference.naive));
  note(report, it, "scheduled", wrongNest(reference, scheduled));
  const { prepare, run } = splitPreparation(scheduled, it.constants);
  if (prepare) note(report, it, "prepared", wrongPrepared(reference, prepare, run));
  attempt(report, it, "JS", () => wrongJs(reference, compileJs(generateJs(scheduled))));
  const cTarget = it.target.backend === "c" ? it.target : targets.avx2;
  attempt(report, it, "WASM", () => {
    const flat = lowerChecked(report, it, scheduled, targets.wasm);
    const { threads } = it.target;
    const twin = (relaxed: boolean): string | null => wrongWasm(reference, generateWasm(flat, { relaxed, threads }));
    if (numerics === "fast") attempt(report, it, "relaxed WASM", () => twin(true));
    return twin(false);
  });
  const compiled: Compiled[] = [];
  attempt(report, it, "C text", () => {
    compiled.push({ it, source: generateC(lowerChecked(report, it, scheduled, cTarget), cTarget, { numerics }) });
    return null;
  });
  return compiled;
}

/** The flat function. Each pass is looked at for the target that the schedule was drawn for. */
function lowerChecked(report: ChainReport, it: ChainCase, scheduled: LoopFunc, target: Target): LoopFunc {
  let before = scheduled;
  const dump = (pass: string, func: LoopFunc): void => {
    if (func !== before) note(report, it, "passes", wrongNest(it.reference, func), `after pass ${pass}: `);
    before = func;
  };
  return lower(scheduled, { target, numerics: it.numerics, ...(target === it.target ? { dump } : {}) });
}

/** Runs a link of the chain. An error that it throws is a failure of the case, not the end of the run. */
function attempt(report: ChainReport, it: ChainCase, link: string, run: () => string | null): void {
  try {
    note(report, it, link, run());
  } catch (error) {
    note(report, it, link, (error as Error).message);
  }
}

function note({ counts, failures }: ChainReport, it: ChainCase, link: string, wrong: string | null, where = ""): void {
  const count = counts.get(it.family) ?? {};
  counts.set(it.family, { ...count, [link]: (count[link] ?? 0) + 1 });
  if (wrong !== null) failures.push(describeCase(it, `${link}: ${where}${wrong}`));
}

/** The text, then all that it takes to draw the case again and read it. */
export const describeCase = (
  { number, family, reference, target, numerics, template, trace, constants }: ChainCase,
  text: string,
): string =>
  [
    text,
    `case ${number}: ${family} ${JSON.stringify(reference.op.parameters)} ${target.name} ${numerics}; ${template}; constants ${constants.join() || "none"}`,
    printTrace(trace),
  ].join("\n");

/** One line an operator: how often each link gave the reference's numbers. */
export function printReport({ counts, rejected, failures, targets, drawn }: ChainReport): string {
  const rows = [...counts].map(([family, links]) => {
    const cells = Object.entries(links).map(([link, count]) => `${link} ${count}`);
    return `  ${family.padEnd(14)} ${cells.join("   ")}`;
  });
  const share = ((100 * rejected.length) / drawn).toFixed(2);
  const places = [...targets].map(([name, count]) => `${name} ${count}`).join(", ");
  return [`${drawn} schedules (${places}), ${share} % refused by check, ${failures.length} wrong`, ...rows].join("\n");
}
