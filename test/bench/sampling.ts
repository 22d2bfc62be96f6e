// Rate at which the sampler draws different solutions on one core, plain and with look-ahead, and the time in which it
// explains an empty space. Every draw is checked by the plain evaluator, outside of the time. Seconds are of this
// process's CPU, so that other processes cost less of the result; medians of several runs.
//
//     npm run bench:sampling -- --runs 5 --seconds 1

import { parseArgs } from "node:util";
import { instantiate, opLibrary, type Target, targets } from "../../src/compiler/index.ts";
import { check } from "../../src/tuner/constraint/check.ts";
import type { Constraint, ConstraintModel } from "../../src/tuner/constraint/constraint.ts";
import { compileModel } from "../../src/tuner/constraint/solver/compile.ts";
import { explain } from "../../src/tuner/constraint/solver/explain.ts";
import { type SampleOptions, sample } from "../../src/tuner/constraint/solver/sample.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { gemmModel } from "../tuner/constraint/gemm-space.ts";
import { tensorCoreModel, volta } from "../tuner/constraint/tensor-core-space.ts";

const { values: options } = parseArgs({
  options: { runs: { type: "string", default: "5" }, seconds: { type: "string", default: "1" } },
});
const runs = Number(options.runs);
const seconds = Number(options.seconds);

interface Bars {
  readonly plain: number;
  readonly "look-ahead": number;
}

interface Bench {
  readonly name: string;
  readonly model: ConstraintModel;
  readonly bars: Bars;
}

const cpuBars: Bars = { plain: 8_000, "look-ahead": 2_000 };
const tensorCoreBars: Bars = { plain: 1_500, "look-ahead": 300 };
const shape = { m: 1024, n: 1024, k: 1024 };

const generated = (target: Target): ConstraintModel => {
  const { gemm } = opLibrary;
  const op = instantiate(gemm({ M: shape.m, N: shape.n, K: shape.k }), {}, "bench");
  return generateSpace({ op, target, numerics: "fast", threads: 1 }).templates[0]!.model;
};

const spaces: readonly Bench[] = [
  { name: "gemm 1024³, avx2, as generated", model: generated(targets.avx2), bars: cpuBars },
  { name: "gemm 1024³, wasm, as generated", model: generated(targets.wasm), bars: cpuBars },
  {
    name: "gemm 1000×1536×770, fixture",
    model: gemmModel({ m: 1000, n: 1536, k: 770, registers: 24, l2Bytes: 2 ** 19 }),
    bars: cpuBars,
  },
  {
    name: "gemm 1024³ on tensor cores",
    model: tensorCoreModel({ ...shape, ...volta }),
    bars: tensorCoreBars,
  },
];

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Different solutions a second; throws at one that violates a constraint. */
function rateOf(model: ConstraintModel, seed: number, spread: NonNullable<SampleOptions["spread"]>): number {
  const compiled = compileModel(model);
  const keys = model.variables.flatMap(({ name, key }) => (key ? [name] : []));
  const rng = createRng(seed);
  for (let k = 0; k < 300; k++) sample(compiled, rng, { spread });
  const drawn = new Map<string, Readonly<Record<string, number>>>();
  const start = cpuSeconds();
  while (cpuSeconds() - start < seconds) {
    for (let k = 0; k < 20; k++) {
      const result = sample(compiled, rng, { spread });
      if (result.kind !== "found") throw new Error(result.kind);
      drawn.set(keys.map((name) => result.assignment[name]).join(), result.assignment);
    }
  }
  const elapsed = cpuSeconds() - start;
  for (const assignment of drawn.values()) {
    const [violated] = check(model, assignment);
    if (violated) throw new Error(`drawn, and wrong: ${violated.why}`);
  }
  return drawn.size / elapsed;
}

const verdict = (isMet: boolean): string => (isMet ? "met" : "NOT MET");

for (const { name, model, bars } of spaces) {
  const keys = model.variables.filter(({ key }) => key).length;
  console.log(
    `${name}: ${model.variables.length} variables, ${keys} of them keys, ${model.constraints.length} constraints`,
  );
  for (const spread of ["plain", "look-ahead"] as const) {
    const rates = Array.from({ length: runs }, (_, run) => Math.round(rateOf(model, run + 1, spread)));
    const [rate, bar] = [median(rates), bars[spread]];
    const range = `${Math.min(...rates)} … ${Math.max(...rates)}`;
    console.log(`  ${spread.padEnd(10)} ${rate} draws/s (${range}), bar ${bar}: ${verdict(rate >= bar)}`);
  }
}

const only = (variable: string, ...values: readonly number[]): Constraint => ({
  kind: "one-of",
  variable,
  values,
  why: `${variable} is one of ${values.join(", ")}, as asked`,
  role: "limit",
});
const tensorCore = (changes: object): ConstraintModel => tensorCoreModel({ ...shape, ...volta, ...changes });
const asked = (model: ConstraintModel, ...limits: readonly Constraint[]): ConstraintModel => ({
  ...model,
  constraints: [...model.constraints, ...limits],
});
const empty: readonly (readonly [string, ConstraintModel])[] = [
  ["768 bytes of shared memory", tensorCore({ sharedBytes: 768 })],
  ["k of 770", tensorCore({ k: 770 })],
  ["32 warps in 8 KiB", asked(tensorCore({ sharedBytes: 8192 }), only("threads.y", 32))],
  ["avx2, 8 rows of 4 vectors", asked(generated(targets.avx2), only("C.i.register", 8), only("C.j.register", 4))],
  ["wasm, an L2 of 64 bytes", generated({ ...targets.wasm, l2Bytes: 64 })],
];

for (const [name, model] of empty) {
  const start = cpuSeconds();
  const explanation = explain(model);
  const elapsed = cpuSeconds() - start;
  if (!explanation) throw new Error(`${name} is not empty`);
  const size = `${explanation.clash.length} of ${model.constraints.length} constraints`;
  console.log(`explained: ${name}: ${elapsed.toFixed(2)} s, ${size}, bar 2 s: ${verdict(elapsed <= 2)}`);
  console.log(explanation.text);
}
