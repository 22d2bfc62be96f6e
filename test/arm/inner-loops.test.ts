// What the compiler for ARM makes of the schedules that the prior likes best: sums stay in registers, products of floats take a lane of a
// vector for all of another's, and products of matrices have no more loads than the core starts beside them.

import { describe, expect } from "vitest";
import { type CSource, targets } from "../../src/compiler/index.ts";
import { machineModelOf } from "../../src/tuner/prior/ranker.ts";
import { inTempDir } from "../native/compiled.ts";
import { assemblerOf } from "../support/assembler.ts";
import { type InnerLoop, multiplyingLoops, vectorSpills } from "../support/inner-loops.ts";
import { inTurn } from "../support/long.ts";
import { armSkipNote, armSkipReason, armToolchain } from "./arm-node.ts";
import { firstProducts } from "./first-products.ts";

const turn = inTurn(4);

const cases = [
  { target: "neon", dtype: "f32", product: /\bfmla\s.*v\d+\.s\[\d\]/ },
  { target: "neon", dtype: "f64", product: /\bfmla\s.*v\d+\.d\[\d\]/ },
  { target: "neon-dot", dtype: "i8", product: /\bsdot\s/ },
] as const;

const { loadsPerCycle, arithmeticPerCycle } = machineModelOf(targets["neon-i8mm"]);
const loadsBeside = loadsPerCycle / arithmeticPerCycle;

const inRows = [
  { dtype: "i8", dtypeB: "i8", product: "smmla" },
  { dtype: "u8", dtypeB: "i8", product: "usmmla" },
  { dtype: "u8", dtypeB: "u8", product: "ummla" },
  { dtype: "bf16", dtypeB: "bf16", product: "bfmmla" },
] as const;

describe.skipIf(armSkipReason)(`inner loops for ARM${armSkipNote}`, () => {
  turn.each(cases)("$dtype products for $target", async ({ target, dtype, product }) => {
    const sources = firstProducts(target, { dtype }, 8);
    expect(sources.length).toBeGreaterThan(4);
    for (const source of sources) {
      const loops = await loopsOf(source);
      expect(loops.some(({ instructions }) => instructions.some((line) => product.test(line)))).toBe(true);
    }
  });

  turn.each(inRows)("products of matrices by $product", async ({ dtype, dtypeB, product }) => {
    const sources = firstProducts("neon-i8mm", { dtype, dtypeB }, 8);
    const loops = await Promise.all(sources.map(loopsOf));
    const mixes = loops.map((all) => all.map((loop) => mixOf(loop, product)));
    expect(mixes[0]!.every(({ products }) => products > 0)).toBe(true);
    const byMatrices = mixes.filter((all) => all.some(({ products }) => products > 0));
    expect(byMatrices.length).toBeGreaterThanOrEqual(sources.length / 2);
    for (const all of byMatrices) {
      expect(all.map(({ moves }) => moves)).toEqual(all.map(() => 0));
      // No more than such a core starts beside its products. The rest of a tail may have fewer sums.
      expect(Math.min(...all.map(({ loads, products }) => loads / products))).toBeLessThanOrEqual(loadsBeside);
    }
  });
});

/** The loops that multiply, none of which goes to memory with a sum. */
async function loopsOf(source: CSource): Promise<readonly InnerLoop[]> {
  const loops = multiplyingLoops(await inTempDir(async (folder) => assemblerOf(source, armToolchain!, folder)));
  expect(loops.length).toBeGreaterThan(0);
  expect(loops.flatMap(vectorSpills)).toEqual([]);
  return loops;
}

/** Products by an instruction, vectors that are loaded, and vectors that are moved otherwise. */
function mixOf({ instructions }: InnerLoop, product: string) {
  const count = (what: RegExp): number => instructions.filter((line) => what.test(line)).length;
  return {
    products: count(new RegExp(`\\b${product}\\s`)),
    loads: count(/\bldr\s+q/) + 2 * count(/\bldp\s+q/) + count(/\bld1/),
    moves: count(/\b(mov|ins|dup|str|stp|zip\d|ext)\s+\{?[vqd]\d/),
  };
}
