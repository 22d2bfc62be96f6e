// Instructions drawn freely for a GPU, far from what the rules make: a schedule is refused, by `check` or when it is lowered, or every
// pass keeps its meaning, no two threads race in what each of them runs at the end, and there is a text.
//
//     TRACE_RUNS=6000 npx vitest run test/property/random-threads.test.ts

import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { codeGeneratorOf } from "../../src/compiler/backend/code-generators.ts";
import { lower } from "../../src/compiler/backend/lower.ts";
import {
  cudaSm90,
  DiagnosticError,
  interpret,
  type LoopFunc,
  printTrace,
  webgpu,
  withShuffles,
} from "../../src/compiler/index.ts";
import { accessFindings, printFinding } from "../../src/compiler/ir/access-findings.ts";
import {
  blur,
  epilogue,
  gemm,
  gemmMapGemm,
  inputsOf,
  padded,
  repeat,
  residual,
  scattered,
  twoGemms,
  twoResults,
  windows,
} from "../compiler/schedule/nests.ts";
import { isLong } from "../support/long.ts";
import { drawThreadInstruction } from "../support/random-threads.ts";
import { legalTrace, outcome } from "../support/random-trace.ts";

const numRuns = Number(process.env.TRACE_RUNS ?? (isLong ? 20_000 : 250));
const targets = [withShuffles(webgpu, 4), cudaSm90];
const products: readonly LoopFunc[] = [gemm(5, 7, 6), gemm(8, 8, 8), gemm(4, 16, 8), twoGemms, epilogue, gemmMapGemm];
const nests: readonly LoopFunc[] = [...products, blur, padded, scattered, residual, windows, twoResults, repeat];
const seeds = fc.array(fc.nat(), { minLength: 1, maxLength: 16, size: "max" });

/** Reasons for which a schedule is refused when it is lowered or printed. */
const reasons: ReadonlySet<string> = new Set([
  "backend.cannot",
  "bind.divergent-barrier",
  "bind.not-outermost",
  "bind.recomputes",
  "bind.shared-storage",
  "bind.taken",
  "set-scope.left-launch",
]);

test.prop([fc.constantFrom(...nests), seeds, fc.constantFrom(...targets)], { numRuns })(
  "a schedule of threads is refused or right",
  (nest, drawn, target) => {
    const { trace, after: scheduled } = legalTrace(nest, drawn, drawThreadInstruction);
    const said = printTrace(trace);
    const inputs = inputsOf(nest);
    const wanted = interpret(nest, inputs);
    const dump = (pass: string, func: LoopFunc): void =>
      expect(outcome(func, inputs), `after ${pass} for ${target.name}\n${said}`).toEqual(wanted);
    try {
      const flat = lower(scheduled, { target, numerics: "fast", dump });
      const { findings } = accessFindings(flat, inputs);
      // A split that shifts its last tile inwards stores some elements twice.
      expect(findings.filter(({ kind }) => kind !== "overwritten").map(printFinding), said).toEqual([]);
      codeGeneratorOf(target).generate(flat, { target, numerics: "fast", relaxed: false });
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      expect(reasons, said).toContain(error.diagnostic.code);
    }
  },
);
