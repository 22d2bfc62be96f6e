// Random cases of the oracle chain: case number → operator with random extents, inputs, and a schedule drawn from the
// space that the rules generate for one of the targets. The same seed and number give the same case.

import conv2d from "../../fixtures/ops/conv2d.op.ts";
import gelu from "../../fixtures/ops/gelu-bf16.op.ts";
import gemm from "../../fixtures/ops/gemm.op.ts";
import gemmBiasRelu from "../../fixtures/ops/gemm-bias-relu.op.ts";
import gemmExpGemm from "../../fixtures/ops/gemm-exp-gemm.op.ts";
import gemmInt8 from "../../fixtures/ops/gemm-int8.op.ts";
import softmax from "../../fixtures/ops/softmax.op.ts";
import statistics from "../../fixtures/ops/statistics.op.ts";
import {
  type ComputeDef,
  type Diagnostic,
  fromCompute,
  instantiate,
  instantiateTemplate,
  type LoopFunc,
  type Numerics,
  type Op,
  opLibrary,
  replay,
  type Target,
  type Trace,
  targets,
} from "../../src/compiler/index.ts";
import { checkPlan } from "../../src/tuner/check/check-output.ts";
import { compileModel } from "../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../src/tuner/constraint/solver/sample.ts";
import type { Computation } from "../../src/tuner/data/computation.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng, type Rng } from "../../src/tuner/support/rng.ts";
import { type Reference, type ReferenceOptions, referenceOf } from "./reference.ts";

/** The schedules and the text of AVX-512 on a machine with AVX2: 64-byte vectors in two halves. */
export const avx512On2: Target = { ...targets.avx512, features: targets.avx2.features };

export const chainTargets: readonly Target[] = [targets.wasm, targets.avx2, avx512On2];

interface Family {
  readonly name: string;
  readonly op: Op;
  readonly callsFunctions: boolean;
  /** Parameters that are the length of a reduction worth cutting into blocks. */
  readonly long: readonly string[];
  /** Largest value of each parameter: an interpreter has to run the operator some ten times. */
  readonly most: Readonly<Record<string, number>>;
  /** Least values where 1 is not of interest. */
  readonly least?: Readonly<Record<string, number>>;
}

export const families: readonly Family[] = [
  { name: "gemm", op: gemm, callsFunctions: false, long: ["K"], most: { M: 37, N: 41, K: 29 } },
  { name: "gemm-bias-relu", op: gemmBiasRelu, callsFunctions: false, long: [], most: { M: 37, N: 41, K: 29 } },
  { name: "conv2d", op: conv2d, callsFunctions: false, long: ["C"], most: { H: 7, W: 7, C: 7, F: 23 } },
  {
    name: "conv2d-channels",
    op: opLibrary.conv2d({ N: 2, H: 1, W: 1, C: 1, F: 1, padding: 1 }, { bias: true, activation: "relu" }),
    callsFunctions: false,
    long: [],
    most: { H: 5, W: 6, C: 13, F: 19 },
    least: { H: 2, W: 3, C: 8, F: 8 },
  },
  {
    // Large enough for tiles of 6×6.
    name: "conv2d-tiles",
    op: opLibrary.conv2d({ H: 1, W: 1, C: 1, F: 1, padding: 1 }, { scale: true, bias: true }),
    callsFunctions: false,
    long: [],
    most: { H: 8, W: 8, C: 9, F: 11 },
    least: { H: 7, W: 7, C: 8, F: 8 },
  },
  { name: "softmax", op: softmax, callsFunctions: true, long: [], most: { M: 11, N: 67 } },
  {
    name: "gemm-exp-gemm",
    op: gemmExpGemm,
    callsFunctions: true,
    long: ["K", "N"],
    most: { M: 13, N: 19, K: 11, L: 23 },
  },
  { name: "gemm-int8", op: gemmInt8, callsFunctions: false, long: ["K"], most: { M: 13, N: 41, K: 29 } },
  { name: "gelu-bf16", op: gelu, callsFunctions: true, long: [], most: { N: 200 } },
  { name: "statistics", op: statistics, callsFunctions: true, long: [], most: { M: 11, N: 37 } },
];

/** Extents that the rules cut into blocks of at least 32, and a prime or two, with few elements along the other axes. */
const longExtents = [64, 66, 67, 96, 99, 127];
const mostBesideLong = 9;

export interface ChainCase {
  readonly number: number;
  readonly family: string;
  readonly target: Target;
  readonly numerics: Numerics;
  readonly reference: Reference;
  readonly template: string;
  /** Definition that the trace schedules: the operator, or another algorithm for it. */
  readonly definition: ComputeDef;
  readonly trace: Trace;
  /** Inputs that the schedule takes to be constant, in one case of two none. */
  readonly constants: readonly string[];
  /** The scheduled nest, or why the sample is illegal: there should be no such samples. */
  readonly scheduled: LoopFunc | Diagnostic;
}

export function drawCase(seed: number, number: number, among: readonly Target[] = chainTargets): ChainCase {
  const rng = createRng(seed * 1_000_003 + number);
  const family = families[number % families.length]!;
  const { name, callsFunctions } = family;
  return caseOf({ number, family: name, op: drawOp(family, rng), callsFunctions }, rng, among);
}

export interface CaseOf {
  readonly number: number;
  readonly family: string;
  readonly op: ComputeDef;
  /** exp and the like, which no two back ends round alike. */
  readonly callsFunctions: boolean;
}

/** One case in three is of a kernel whose loops so many threads share. */
const sharingThreads = 3;

/** A case of this operator, with target, numerics and schedule drawn. */
export function caseOf(
  { number, family, op, callsFunctions }: CaseOf,
  rng: Rng,
  among: readonly Target[] = chainTargets,
): ChainCase {
  const drawn = rng.pick(among);
  const target = number % 3 === 0 ? { ...drawn, threads: sharingThreads } : drawn;
  const numerics = rng.pick(["fast", "strict"] as const);
  const constants = drawConstants(op, createRng(number));
  const { template, trace, computation } = drawTrace({ op, target, numerics, constants }, rng);
  const { op: definition } = computation;
  const isStrict = numerics === "strict" && !callsFunctions;
  const reference = referenceOf(op, rng, isStrict ? strictPlan(op) : checkPlan(op, [computation]));
  const result = replay(fromCompute(definition), trace);
  const scheduled = result.kind === "ok" ? result.nest : result.diagnostic;
  return { number, family, target, numerics, reference, template, definition, trace, constants, scheduled };
}

const drawConstants = ({ inputs }: ComputeDef, rng: Rng): readonly string[] =>
  rng.below(2) === 0 ? [] : inputs.map(({ name }) => name).filter(() => rng.below(2) === 0);

/** Sums in the order of the reference round as its sums do: equal bits for all inputs. */
const strictPlan = ({ outputs }: ComputeDef): ReferenceOptions => ({
  values: { kind: "reals", from: -1, to: 1 },
  bounds: outputs.map(() => ({ kind: "exact" })),
});

export const isIllegal = (scheduled: LoopFunc | Diagnostic): scheduled is Diagnostic => "code" in scheduled;

/** One operator in three has a long reduction. Of other extents one in four is a power of two, the rest are odd. */
function drawOp({ name, op, most, least = {}, long }: Family, rng: Rng): ComputeDef {
  const longest = long.length > 0 && rng.below(3) === 0 ? rng.pick(long) : null;
  const extents = Object.entries(most).map(([parameter, limit]): [string, number] => {
    if (parameter === longest) return [parameter, rng.pick(longExtents)];
    const extent = drawExtent(longest ? Math.min(limit, mostBesideLong) : limit, rng);
    return [parameter, Math.max(extent, least[parameter] ?? 1)];
  });
  return instantiate(op, Object.fromEntries(extents), name.replaceAll("-", "_"));
}

const drawExtent = (limit: number, rng: Rng): number =>
  rng.below(4) === 0 ? 2 ** rng.below(Math.floor(Math.log2(limit)) + 1) : 1 + 2 * rng.below(Math.ceil(limit / 2));

interface SpaceOf {
  readonly op: ComputeDef;
  readonly target: Target;
  readonly numerics: Numerics;
  readonly constants?: readonly string[];
}

export interface DrawnTrace {
  readonly template: string;
  /** Definition that the trace schedules: the operator, or another algorithm for it. */
  readonly computation: Computation;
  readonly trace: Trace;
}

/** A schedule from a random template. A template without a solution is passed over; one has to have some. */
export function drawTrace(of: SpaceOf, rng: Rng): DrawnTrace {
  const { templates } = generateSpace({ ...of, threads: of.target.threads });
  for (const template of rng.shuffle(templates)) {
    const result = sample(compileModel(template.model), rng);
    if (result.kind !== "found") continue;
    const trace = instantiateTemplate(template.instructions, result.assignment);
    return { template: template.name, computation: template, trace };
  }
  throw new Error(`no template of ${of.op.name} has a schedule for ${of.target.name}`);
}
