// Claimed measurements of decisions from outside: is such a time possible, and does it agree with itself? A claim that passes is still
// an opinion: kernels are measured here before anyone relies on it.

import {
  asCpu,
  type ComputeDef,
  type CpuTarget,
  cpuTarget,
  factsOf,
  type TargetName,
  targets,
} from "../../../compiler/index.ts";
import { type MachineLimits, type RateName, rateNames } from "../../../native/limits/machine-limits.ts";
import { compilerFamilies } from "../../../native/toolchain/toolchain.ts";
import type { TuningTask } from "../../../tuner/data/task.ts";
import type { Measured } from "../../../tuner/store/store-entry.ts";
import { leastTime } from "../../limits/least-time.ts";

/** Clock of a core in GHz that no machine reaches: the fastest of today have 6.2. */
const clock = 8;
/** Vector instructions of one kind that a core starts in a cycle, at most: the widest of today start four of 128 bits, or two of 512. */
const units = 4;
/** Products that the matrix unit of a core sums in a cycle, at most: AMX does 1024 of bytes and 512 of bf16. */
const tileProducts = { "i8.dot": 2048, "bf16.dot": 1024 } as const;

type Wide = Pick<CpuTarget, "name" | "vectorBytes">;

/** Bytes of a lane by the kind of work: a dot product of bytes takes one byte for each product, one of 16-bit values two. */
const laneBytes = (rate: RateName): number => Number(/\d+/.exec(rate)![0]) / 8;

/** Limits above those of any core that has the target. */
function generousLimits({ name, vectorBytes }: Wide): MachineLimits {
  const rateOf = (rate: RateName): number => {
    const ofVectors = (units * vectorBytes) / laneBytes(rate);
    const ofTiles = name === "amx" && rate in tileProducts ? tileProducts[rate as keyof typeof tileProducts] : 0;
    return clock * Math.max(ofVectors, ofTiles);
  };
  const rates = Object.fromEntries(rateNames.map((rate) => [rate, rateOf(rate)])) as Record<RateName, number>;
  return { rates, reading: [{ bytes: 1, speed: clock * units * vectorBytes }] };
}

/** Nanoseconds below which no machine computes the definition, on the threads of the task: a cycle at least. */
export function leastPossibleNs({ target, threads, constants = [] }: TuningTask, computed: ComputeDef): number {
  const computing = { op: computed, constants, numerics: "fast", hasFma: true } as const;
  const { arithmeticNs, readingNs } = leastTime(computing, generousLimits(cpuTarget(target)));
  return Math.max(1 / clock, Math.max(arithmeticNs ?? 0, readingNs) / threads);
}

interface TargetText {
  readonly name: TargetName;
  readonly features: string;
  readonly vectorBytes: number;
  readonly threads: number;
}

/** Reads what `targetClass` prints; null: it is something else. */
function readTargetClass(text: string): TargetText | null {
  const form = /^([\w-]+) ([\w.+-]*) (\d+)B \d+r l1=\d+ l2=\d+ l3=\d+(?: core=[\w-]+)? threads=(\d+)$/.exec(text);
  if (!form || !Object.hasOwn(targets, form[1]!)) return null;
  const [, name, features, vectorBytes, threads] = form;
  return { name: name as TargetName, features: features!, vectorBytes: Number(vectorBytes), threads: Number(threads) };
}

/** Forms of what measures: an engine for WASM, and for native targets the identity of a compiler. */
const toolchains: Readonly<Record<CpuTarget["backend"], RegExp>> = {
  wasm: /^wasm(, cold caches)?$/,
  c: new RegExp(`^(${compilerFamilies.join("|")}) [\\w.+-]+ [\\w.-]+ [0-9a-f]{8}(, cold caches)?$`),
};

/** Greatest difference between the operations and speed × time, as a share: locks keep four digits of either. */
const rounding = 2e-3;

/** Says whether the speed and the time of a measurement belong together. */
const agrees = ({ gflops, medianNs }: Measured, flops: number): boolean =>
  Math.abs(gflops * medianNs - flops) <= rounding * Math.max(flops, 1e-9);

/**
 * Says what is wrong with the measurement that a decision comes with; null: it may be true.
 *
 * @param computed definition that the decision's kernel computes: that of another algorithm may need fewer operations
 */
export function problemOfClaim(measured: Measured, task: TuningTask, computed: ComputeDef): string | null {
  const { medianNs, gflops, machine, toolchain } = measured;
  const place = readTargetClass(machine);
  if (!place) return `"${machine}" is no machine`;
  const cpu = asCpu(task.target);
  if (!cpu) return `nobody knows how fast ${task.target.name} can be`;
  const { name, features, backend } = cpu;
  if (place.name !== name || place.features !== features.join("+") || place.threads !== task.threads)
    return `it was measured on "${machine}", and is for ${name} with ${task.threads} threads`;
  if (!toolchains[backend].test(toolchain)) return `"${toolchain}" measures nothing for ${name}`;
  const { flops } = factsOf(task.op);
  if (!agrees(measured, flops))
    return `it contradicts itself: ${gflops} GFLOP/s for ${medianNs} ns are not the ${flops} operations of ${task.op.name}`;
  const leastNs = leastPossibleNs(task, computed);
  if (medianNs < leastNs)
    return `no machine is so fast: it claims ${medianNs} ns, and ${leastNs.toPrecision(3)} ns are the least`;
  return null;
}

/** Operations that one element of a product counts as, at most: fewer are computed where another algorithm is. */
const savedByAlgorithms = 8;

/**
 * Says whether a claim can be true, where the operator is not at hand: by the operations that a measurement of ours of the same
 * operator has counted.
 */
export function isPossible(claimed: Measured, ours: Measured): boolean {
  const place = readTargetClass(claimed.machine);
  if (!place) return false;
  const flops = ours.gflops * ours.medianNs;
  const { rates } = generousLimits(place);
  const most = 2 * savedByAlgorithms * place.threads * Math.max(...rateNames.map((name) => rates[name] ?? 0));
  return agrees(claimed, flops) && claimed.medianNs >= Math.max(1 / clock, flops / most);
}
