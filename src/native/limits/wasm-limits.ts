// Measures the limits of one core in WASM: arithmetic on values that stay in registers, with relaxed SIMD too where the
// engine has it, and reading buffers of several sizes.

import { nowMs } from "../machine/clock.ts";
import { type MachineLimits, type RateName, type Rates, rateNames, readingSizes } from "./machine-limits.ts";
import { constantsAt, memoryBytes, probeModule, relaxedProbes, type WasmProbe, wasmProbes } from "./wasm-module.ts";

type ProbeFunction = (...numbers: readonly number[]) => void;

interface Run {
  readonly work: () => void;
  /** Work of one run, in the rate's unit (operations, or bytes read). */
  readonly count: number;
  /** Time of the fastest run so far, in milliseconds. */
  leastMs: number;
}

const steps = 8_000;
/** Least number of bytes that one run reads. */
const leastRead = 2 ** 21;
/** Engines compile a function anew while it runs, so that the first rounds tell little. */
const rounds = 30;
/** Milliseconds that each kind of work gets in one round. */
const roundMs = 0.8;

export function wasmLimits(): MachineLimits {
  const exported = instanceOf(wasmProbes);
  const arithmetic = [...arithmeticRuns(exported, wasmProbes), ...relaxedRuns()];
  const reading = readingSizes(memoryBytes).map((bytes) => [bytes, readingRun(exported, bytes)] as const);
  const runs = [...arithmetic, ...reading].map(([, run]) => run);
  for (let round = 0; round < rounds; round++) for (const run of runs) runFor(run, roundMs);
  const speedOf = ({ count, leastMs }: Run): number => count / (leastMs * 1e6);
  const measured = new Map<RateName, number>();
  for (const [rate, run] of arithmetic) measured.set(rate, Math.max(measured.get(rate) ?? 0, speedOf(run)));
  // Bytes are widened when they are packed.
  measured.set("i8.dot", measured.get("i16.dot")!);
  return {
    rates: Object.fromEntries(rateNames.map((name) => [name, measured.get(name) ?? null])) as Rates,
    reading: reading.map(([size, run]) => ({ bytes: size, speed: speedOf(run) })),
  };
}

type Exported = WebAssembly.Instance["exports"];

function instanceOf(probes: readonly WasmProbe[]): Exported {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(probeModule(probes)));
  const { buffer } = exports.memory as WebAssembly.Memory;
  // No denormals or other slow numbers; each page is written, so that it is a page of its own.
  new Float32Array(buffer).fill(1);
  new Float64Array(buffer, constantsAt.f64, 128).fill(1);
  return exports;
}

const arithmeticRuns = (exported: Exported, probes: readonly WasmProbe[]): readonly (readonly [RateName, Run])[] =>
  probes.map(({ rate, count, sums }, at) => {
    const work = exported[at] as ProbeFunction;
    return [rate, newRun(() => work(steps), steps * sums * count)];
  });

function relaxedRuns(): readonly (readonly [RateName, Run])[] {
  if (!WebAssembly.validate(probeModule(relaxedProbes))) return [];
  return arithmeticRuns(instanceOf(relaxedProbes), relaxedProbes);
}

function readingRun(exported: Exported, bytes: number): Run {
  const work = exported.reading as ProbeFunction;
  const times = Math.max(1, leastRead / bytes);
  const again = (): void => {
    for (let time = 0; time < times; time++) work(0, bytes);
  };
  return newRun(again, bytes * times);
}

const newRun = (work: () => void, count: number): Run => ({ work, count, leastMs: Number.POSITIVE_INFINITY });

function runFor(run: Run, ms: number): void {
  const end = nowMs() + ms;
  for (let start = nowMs(); start < end; ) {
    run.work();
    const now = nowMs();
    run.leastMs = Math.min(run.leastMs, now - start);
    start = now;
  }
}
