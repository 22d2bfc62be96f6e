// Facts for the prior about tiled stages whose operands are not packed.

import { describe, expect, it } from "vitest";
import { instantiate, opLibrary, type TargetName, targets } from "../../../../src/compiler/index.ts";
import { machineModels } from "../../../../src/tuner/prior/machine-model.ts";
import { type RankingFacts, weightedBytes, weightedLoads } from "../../../../src/tuner/prior/ranker.ts";
import { findPoint, searchSpace } from "../../../../src/tuner/search/point/search-space.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";

/** Facts of a GEMM whose tiles are 4 rows of 2 vectors. */
function factsOf(target: TargetName, N: number, change: Readonly<Record<string, number>>): RankingFacts {
  const op = instantiate(opLibrary.gemm({ M: 256, N, K: 512 }), {}, "gemm");
  const space = generateSpace({ op, target: targets[target], numerics: "fast", threads: 1 });
  const sizes = { "C.i.register": 4, "C.i.block-tiles": 16, "C.j.register": 2, "C.j.block-tiles": 4 };
  const rest = { "C.k.unroll": 1, "C.k.steps": 256, "C.order": 0, "C.pack.A": 0, "C.pack.B": 1 };
  const tails = { "C.i.tail": 0, "C.j.tail": 0 };
  const assignment = { ...sizes, ...rest, ...tails, ...change };
  const point = findPoint(searchSpace(space), { template: "C tiled", assignment });
  return space.facts(point!.template.template, point!.assignment)![0]!;
}

const unpacked = { "C.pack.B": 0 };
const loadsOf = (name: TargetName, N: number, change = {}): number => {
  const target = targets[name];
  return weightedLoads(factsOf(name, N, change), target, machineModels[target.backend]);
};

describe("rows of the vector operand that are not packed", () => {
  it("cost a walk a step on WASM where a block of them lies on more pages than are at hand", () => {
    // 4 + 2 loads for 8 multiply-adds, and a page each: 8 loads.
    expect(loadsOf("wasm", 1024)).toBe(6 / 8);
    expect(loadsOf("wasm", 1024, unpacked)).toBe(14 / 8);
    expect(loadsOf("wasm", 4096, unpacked)).toBe(14 / 8);
    // Two rows on a page: 128 pages.
    expect(loadsOf("wasm", 512, unpacked)).toBe(10 / 8);
  });

  it("cost nothing on as many pages as are at hand", () => {
    expect(loadsOf("wasm", 1024, { ...unpacked, "C.k.steps": 64 })).toBe(6 / 8);
    expect(loadsOf("wasm", 128, unpacked)).toBe(6 / 8);
  });

  it("cost nothing in native code, which hides it", () => {
    expect(loadsOf("avx512", 1024, unpacked)).toBe(6 / 8);
  });
});

describe("a vector operand that is larger than half of L3", () => {
  const bytes = (N: number): number => 512 * N * 4;
  const fromMemory = (N: number, steps: number): number =>
    weightedBytes(factsOf("avx512", N, { ...unpacked, "C.k.steps": steps }), targets.avx512, machineModels.c) -
    256 * (512 + N) * 4;

  it("comes from memory once if prefetchers follow its rows, and costs three times as much if not", () => {
    expect(fromMemory(4096, 16)).toBe(bytes(4096));
    expect(fromMemory(4096, 32)).toBe(3 * bytes(4096));
  });

  it("is walked down in blocks from 8 rows on, another one in blocks from 32 on", () => {
    expect(fromMemory(4096, 8)).toBe(bytes(4096));
    expect(() => fromMemory(256, 16)).toThrow();
    expect(fromMemory(256, 64)).toBe(bytes(256));
  });
});
