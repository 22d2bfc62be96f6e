// Runs the cases of random operators: WASM, and C with all kernels of one target in one addon. Which pass was wrong is asked
// of an operator alone, whose cases go through the whole oracle chain.

import { setFlagsFromString } from "node:v8";
import { lower } from "../../../src/compiler/backend/lower.ts";
import {
  type CSource,
  compileJs,
  generateC,
  generateJs,
  generateWasm,
  type LoopFunc,
  type Target,
  targets,
} from "../../../src/compiler/index.ts";
import { buildNative } from "../../../src/native/addon/build.ts";
import { detectMachine, missingFeatures } from "../../../src/native/machine/machine.ts";
import { compileAll, inTempDir, toolchain, toolchains } from "../../native/compiled.ts";
import { isOnTiles, onSoftTiles } from "../../native/soft-tiles.ts";
import { describeCase, newReport, runCases } from "../oracle-chain.ts";
import { avx512On2, type ChainCase } from "../random-schedule.ts";
import { wrongJs, wrongNative, wrongNest, wrongWasm } from "../reference.ts";
import type { DrawnKind } from "./draw-operator.ts";
import { type DrawnCases, drawnCases } from "./drawn-cases.ts";

setFlagsFromString("--experimental-wasm-relaxed-simd");

export interface DrawnReport {
  operators: number;
  /** Looked at: each legal, or among the failures. */
  schedules: number;
  /** Kernels whose results were compared with the reference: target → how many. */
  readonly runs: Map<string, number>;
  readonly failures: string[];
}

export const newDrawnReport = (): DrawnReport => ({ operators: 0, schedules: 0, runs: new Map(), failures: [] });

export const printDrawnReport = ({ operators, schedules, runs, failures }: DrawnReport): string => {
  const kernels = [...runs].map(([target, count]) => `${target} ${count}`).join(", ");
  return `${operators} operators, ${schedules} schedules looked at; kernels run: ${kernels}; ${failures.length} failures`;
};

/** One operator through every link of the oracle chain: what is wrong. */
export async function runWhole(seed: number, number: number, kind: DrawnKind): Promise<readonly string[]> {
  const { cases, failures, operator } = drawnCases(seed, number, kind);
  console.log(operator);
  const report = newReport();
  for (const it of cases) if (canRun(it.target)) await runCases(report, [it]);
  return [...failures, ...report.failures];
}

export interface DrawnRun {
  readonly seed: number;
  readonly from: number;
  readonly count: number;
  readonly kind?: DrawnKind;
}

/** Operators `from` to `from + count` of a seed, added to the report. */
export async function runDrawn(report: DrawnReport, { seed, from, count, kind = "any" }: DrawnRun): Promise<void> {
  const native: Native[] = [];
  for (let number = from; number < from + count; number++) {
    const drawn = drawnOrFailure(report, seed, number, kind);
    if (!drawn) continue;
    report.operators += 1;
    report.schedules += drawn.schedules;
    report.failures.push(...drawn.failures);
    for (const it of drawn.cases) native.push(...lowered(report, it, drawn));
  }
  await runNative(report, native);
}

function drawnOrFailure(report: DrawnReport, seed: number, number: number, kind: DrawnKind): DrawnCases | null {
  try {
    return drawnCases(seed, number, kind);
  } catch (error) {
    report.failures.push(`operator ${number} of seed ${seed}, kind ${kind}: ${(error as Error).stack ?? error}`);
    return null;
  }
}

interface Native {
  readonly it: ChainCase;
  readonly operator: string;
  readonly source: CSource;
}

/**
 * A source that is longer holds something that is written out again and again: a tile of thirty results, in eight variants for the
 * ends of three axes, has a hundred characters for each node in each.
 */
const mostCharacters = (nodes: number): number => Math.max(500_000, 24_000 * nodes);

/** Runs WASM at once, and now and then the plain loops in JavaScript and relaxed WASM; C is given back. */
function lowered(report: DrawnReport, it: ChainCase, { operator, nodes }: DrawnCases): readonly Native[] {
  const note = (wrong: string | null): void => noteOf(report, it, operator, wrong);
  try {
    const flat = lower(it.scheduled as LoopFunc, { target: it.target, numerics: it.numerics });
    if (it.target.backend === "c") {
      const source = generateC(flat, it.target, { numerics: it.numerics });
      if (source.text.length <= mostCharacters(nodes))
        return [{ it, operator, source: forThisMachine(source, it.target) }];
      note(`the source has ${source.text.length} characters`);
      return [];
    }
    const { threads } = it.target;
    note(wrongWasm(it.reference, generateWasm(flat, { relaxed: false, threads })));
    if (it.number % 4 === 1) note(wrongJs(it.reference, compileJs(generateJs(it.reference.naive))));
    if (it.numerics === "fast" && it.number % 4 === 0) {
      note(wrongWasm(it.reference, generateWasm(flat, { relaxed: true, threads })));
    }
  } catch (error) {
    note((error as Error).stack ?? String(error));
  }
  return [];
}

/** Tiles in plain C where the machine has none: the interpreter knows nothing of their configuration. */
const forThisMachine = (source: CSource, target: Target): CSource =>
  isOnTiles(source) && !canRun(target) ? onSoftTiles(source) : source;

function noteOf(report: DrawnReport, it: ChainCase, operator: string, wrong: string | null): void {
  const { name } = it.target;
  report.runs.set(name, (report.runs.get(name) ?? 0) + 1);
  if (wrong !== null) report.failures.push(`${name}: ${describeCase(it, wrong)}\n${operator}`);
}

const machine = detectMachine();
const canRun = (target: Target): boolean => missingFeatures(target, machine).length === 0;

/** Runs native kernels. Those that this machine cannot run are interpreted after the last pass. */
async function runNative(report: DrawnReport, native: readonly Native[]): Promise<void> {
  const batches = new Map<string, Native[]>();
  for (const each of native) {
    const { features, numerics } = each.source;
    const key = `${features.join()} ${numerics}`;
    batches.set(key, [...(batches.get(key) ?? []), each]);
  }
  for (const batch of batches.values()) await runBatch(report, batch);
}

async function runBatch(report: DrawnReport, batch: readonly Native[]): Promise<void> {
  const [toolchain] = toolchains;
  if (!toolchain || !canRun({ ...targets.avx2, features: batch[0]!.source.features })) {
    for (const { it, operator } of batch) {
      noteOf(report, it, operator, wrongNest(it.reference, lower(it.scheduled as LoopFunc, it)));
    }
    return;
  }
  try {
    const kernels = await compileAll(
      batch.map(({ source }) => source),
      { toolchain },
    );
    batch.forEach(({ it, operator }, index) => {
      noteOf(report, it, operator, wrongNative(it.reference, kernels, index));
    });
  } catch (error) {
    const [first, ...more] = batch;
    if (more.length === 0) noteOf(report, first!.it, first!.operator, await wrongWhole(first!, error as Error));
    else for (const each of batch) await runBatch(report, [each]);
  }
}

/**
 * gcc 12 ends with an internal error where 64-byte vectors, compiled in halves for a CPU without AVX-512, take the greater of a number and a
 * converted one: its pass "forwprop" joins the halves. Such a kernel is compiled for its own target, and interpreted after the last pass.
 */
async function wrongWhole({ it, source }: Native, { message }: Error): Promise<string | null> {
  const { features } = targets.avx512;
  const isInHalves = it.target.name === avx512On2.name && source.features.length < features.length;
  if (!isInHalves || !message.includes("internal compiler error")) return message.slice(0, 2000);
  const built = await inTempDir((outDir) => buildNative([{ ...source, features }], { outDir, toolchain: toolchain! }));
  return built.kind === "build-failed" ? built.reason : wrongNest(it.reference, lower(it.scheduled as LoopFunc, it));
}
