// What the compiler for ARM makes of the schedules that the prior likes best: sums stay in registers, and products of floats take a lane of
// a vector for all of another's.

import { describe, expect, test } from "vitest";
import { type CSource, instantiate, isCSource, opLibrary, type TargetName, targets } from "../../src/compiler/index.ts";
import { boostedTrees } from "../../src/tuner/cost-model/boosted-trees.ts";
import { candidateKernel } from "../../src/tuner/kernel/candidate-kernel.ts";
import { searchSpace } from "../../src/tuner/search/point/search-space.ts";
import { startSearch } from "../../src/tuner/search/state/search-state.ts";
import { strategies } from "../../src/tuner/search/strategy/strategies.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { inTempDir } from "../native/compiled.ts";
import { assemblerOf } from "../support/assembler.ts";
import { multiplyingLoops, vectorSpills } from "../support/inner-loops.ts";
import { armSkipNote, armSkipReason, armToolchain } from "./arm-node.ts";

type Element = "f32" | "f64" | "i8";

/** The first schedules of a search, before anything is measured. */
function firstOf(target: TargetName, dtype: Element, count: number): readonly CSource[] {
  const op = instantiate(opLibrary.gemm({ M: 256, N: 256, K: 256, dtype }), {}, "gemm");
  const task = { op, target: targets[target], numerics: "fast", threads: 1 } as const;
  const space = generateSpace(task);
  const search = startSearch(searchSpace(space, { prior: space.prior }), boostedTrees());
  return strategies.default.propose(search, count, createRng(1)).flatMap((candidate) => {
    const kernel = candidateKernel(task, space, candidate);
    return kernel.kind === "ok" && isCSource(kernel.source) ? [kernel.source] : [];
  });
}

const cases = [
  { target: "neon", dtype: "f32", product: /\bfmla\s.*v\d+\.s\[\d\]/ },
  { target: "neon", dtype: "f64", product: /\bfmla\s.*v\d+\.d\[\d\]/ },
  { target: "neon-dot", dtype: "i8", product: /\bsdot\s/ },
] as const;

describe.skipIf(armSkipReason)(`inner loops for ARM${armSkipNote}`, () => {
  test.each(cases)("$dtype products for $target", async ({ target, dtype, product }) => {
    const sources = firstOf(target, dtype, 8);
    expect(sources.length).toBeGreaterThan(4);
    for (const source of sources) {
      const assembler = await inTempDir(async (folder) => assemblerOf(source, armToolchain!, folder));
      const loops = multiplyingLoops(assembler);
      expect(loops.length).toBeGreaterThan(0);
      expect(loops.flatMap(vectorSpills)).toEqual([]);
      expect(loops.some(({ instructions }) => instructions.some((line) => product.test(line)))).toBe(true);
    }
  });
});
