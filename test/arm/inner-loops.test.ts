// What the compiler for ARM makes of the schedules that the prior likes best: sums stay in registers, and products of floats take a lane of
// a vector for all of another's.

import { describe, expect, test } from "vitest";
import { inTempDir } from "../native/compiled.ts";
import { assemblerOf } from "../support/assembler.ts";
import { multiplyingLoops, vectorSpills } from "../support/inner-loops.ts";
import { armSkipNote, armSkipReason, armToolchain } from "./arm-node.ts";
import { firstSchedules } from "./first-schedules.ts";

const cases = [
  { target: "neon", dtype: "f32", product: /\bfmla\s.*v\d+\.s\[\d\]/ },
  { target: "neon", dtype: "f64", product: /\bfmla\s.*v\d+\.d\[\d\]/ },
  { target: "neon-dot", dtype: "i8", product: /\bsdot\s/ },
] as const;

describe.skipIf(armSkipReason)(`inner loops for ARM${armSkipNote}`, () => {
  test.each(cases)("$dtype products for $target", async ({ target, dtype, product }) => {
    const sources = firstSchedules(target, dtype, 8);
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
