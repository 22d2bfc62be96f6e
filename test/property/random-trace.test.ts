// Instructions drawn freely, far from what the rules make: where `check` says yes, the nest keeps its meaning, and so
// does every pass of the lowering.

import { fc, test } from "@fast-check/vitest";
import { expect, test as plainTest } from "vitest";
import { lower } from "../../src/compiler/backend/lower.ts";
import {
  generateC,
  generateWasm,
  interpret,
  type LoopFunc,
  newArray,
  printTrace,
  type Target,
  targets,
} from "../../src/compiler/index.ts";
import { blocksIn, loopsIn } from "../../src/compiler/schedule/nest.ts";
import { schedule } from "../../src/compiler/schedule/replay/replay.ts";
import { loadWasm } from "../../src/native/load/load-wasm.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import {
  blur,
  epilogue,
  gemm,
  gemmMapGemm,
  inputsOf,
  padded,
  residual,
  scattered,
  twoGemms,
  windows,
} from "../compiler/schedule/nests.ts";
import { eachCompiler } from "../native/compiled.ts";
import { isLong } from "../support/long.ts";
import { avx512On2 } from "../support/random-schedule.ts";
import { legalTrace, outcome } from "../support/random-trace.ts";

const numRuns = Number(process.env.TRACE_RUNS ?? (isLong ? 10_000 : 120));
const traceSeed = Number(process.env.TRACE_SEED ?? 1);
const nests: readonly LoopFunc[] = [
  gemm(5, 7, 6),
  gemm(8, 8, 8),
  gemm(1, 13, 3),
  blur,
  twoGemms,
  padded,
  scattered,
  epilogue,
  gemmMapGemm,
  residual,
];
const atRow = { kind: "compute-at", block: "P", loop: "Q.y" } as const;
const atElement = { kind: "compute-at", block: "P", loop: "Q.x" } as const;
const tiled = [
  { kind: "split", loop: "Q.x", factors: [0, 3], tail: "mask" },
  { kind: "reorder", loops: ["Q.x.0", "Q.y", "Q.x.1"] },
] as const;

/** Storage that outlives the loop that it is computed under, to be scheduled on. */
const hoisted: readonly LoopFunc[] = (["none", "slide", "fold"] as const).flatMap((reuse) => [
  schedule(blur, [
    { kind: "compute-at", block: "P", loop: "Q.i" },
    { kind: "hoist-storage", buffer: "P", loop: null, reuse },
  ]),
  schedule(windows, [atRow, { kind: "hoist-storage", buffer: "P", loop: null, reuse }]),
  schedule(windows, [atElement, { kind: "hoist-storage", buffer: "P", loop: "Q.y", reuse }]),
  schedule(windows, [...tiled, atRow, { kind: "hoist-storage", buffer: "P", loop: "Q.x.0", reuse }]),
  schedule(twoGemms, [
    { kind: "compute-at", block: "C", loop: "D.i" },
    { kind: "hoist-storage", buffer: "C", loop: null, reuse: "none" },
  ]),
]);

const placed: readonly LoopFunc[] = [
  schedule(blur, [{ kind: "compute-at", block: "P", loop: "Q.i" }]),
  schedule(windows, [atRow]),
  schedule(windows, [...tiled, atRow]),
];

const allNests: readonly LoopFunc[] = [...nests, windows, ...placed, ...hoisted];
const someTargets: readonly Target[] = [targets.wasm, targets.avx2, avx512On2];

function runWasm(flat: LoopFunc, inputs: ReturnType<typeof inputsOf>): ReturnType<typeof inputsOf> {
  const kernel = loadWasm(generateWasm(flat, { relaxed: false }));
  const arrays = kernel.buffers();
  kernel.parameters.forEach(({ name, role }, at) => {
    if (role === "input") arrays[at]!.set(inputs[name]!);
  });
  kernel.run();
  return Object.fromEntries(
    kernel.parameters.flatMap(({ name, role }, at) => (role === "output" ? [[name, arrays[at]!.slice()]] : [])),
  );
}

const seeds = fc.array(fc.nat(), { minLength: 1, maxLength: 20, size: "max" });

test.prop([fc.constantFrom(...allNests), seeds], { numRuns })(
  "check says yes: the nest keeps its meaning",
  (nest, drawn) => {
    const { trace, after } = legalTrace(nest, drawn);
    const inputs = inputsOf(nest);
    expect(outcome(after, inputs), printTrace(trace)).toEqual(interpret(nest, inputs));
    const names = [...loopsIn(after.body), ...blocksIn(after.body)].map(({ kind, name }) => `${kind} ${name}`);
    expect(new Set(names).size, "names are unique").toBe(names.length);
  },
);

test.prop([fc.constantFrom(...allNests), seeds, fc.constantFrom(...someTargets)], { numRuns })(
  "every pass keeps the meaning",
  (nest, drawn, target) => {
    const { trace, after } = legalTrace(nest, drawn);
    const inputs = inputsOf(nest);
    const wanted = interpret(nest, inputs);
    const dump = (pass: string, func: LoopFunc): void =>
      expect(outcome(func, inputs), `after ${pass} for ${target.name}\n${printTrace(trace)}`).toEqual(wanted);
    const flat = lower(after, { target, numerics: "fast", dump });
    if (target.backend === "wasm") expect(runWasm(flat, inputs), printTrace(trace)).toEqual(wanted);
  },
);

eachCompiler("as C", ({ compileAll }) => {
  plainTest("random traces in one addon", async () => {
    const rng = createRng(traceSeed);
    const cases = Array.from({ length: Math.ceil(numRuns / 3) }, () => {
      const nest = rng.pick(allNests);
      const target = rng.pick([targets.avx2, avx512On2]);
      const { trace, after } = legalTrace(nest, Array.from({ length: 1 + rng.below(20) }, rng.next));
      const flat = lower(after, { target, numerics: "fast" });
      return { nest, trace, source: generateC(flat, target, { numerics: "fast" }) };
    });
    const kernels = await compileAll(cases.map(({ source }) => source));
    cases.forEach(({ nest, trace, source }, index) => {
      const inputs = inputsOf(nest);
      const arrays = source.parameters.map(
        ({ name, dtype, length }) => inputs[name] ?? newArray(dtype, length).fill(99),
      );
      kernels.call(index, ...arrays);
      const outputs = source.parameters.flatMap(({ name, role }, at) =>
        role === "output" ? [[name, arrays[at]!]] : [],
      );
      expect(Object.fromEntries(outputs), `${printTrace(trace)}\n${source.text}`).toEqual(interpret(nest, inputs));
    });
  });
});
