// Machine code that compilers make of vectors: each conversion, and each operation on integers, is a few instructions
// on vectors in its loop. No lane is taken out of a vector, computed with by itself and put back.

import { describe, expect } from "vitest";
import { type CpuTarget, generateC, targets } from "../../src/compiler/index.ts";
import type { LoopFunc } from "../../src/compiler/ir/loop-ir.ts";
import type { Toolchain } from "../../src/native/toolchain/toolchain.ts";
import { assemblerOf } from "../support/assembler.ts";
import { innerLoops, movesOfLanes } from "../support/inner-loops.ts";
import { inTurn } from "../support/long.ts";
import { eachCompiler, inTempDir } from "./compiled.ts";
import { conversionLanes, operationLanes, scalarDivisions } from "./lane-works.ts";

const turn = inTurn(4);

/** The innermost loop of each, one iteration a vector of the loop IR. */
async function loopsOf<W extends { readonly func: LoopFunc }>(
  works: readonly W[],
  target: CpuTarget,
  toolchain: Toolchain,
) {
  const sources = works.map(({ func }) => generateC(func, target, { numerics: "fast" }));
  const text = sources.map((source) => source.text).join("");
  const assembler = await inTempDir(async (folder) =>
    assemblerOf({ ...sources[0]!, text }, toolchain, folder, ["-fno-unroll-loops", "-fno-tree-vectorize"]),
  );
  return works.map((work) => ({ ...work, instructions: loopOf(assembler, work.func) }));
}

function loopOf(assembler: string, { name }: LoopFunc): readonly string[] {
  const start = assembler.indexOf(`\n${name}:`);
  const loops = innerLoops(assembler.slice(start, assembler.indexOf(`.size\t${name}`, start)));
  if (loops.length !== 1) throw new Error(`${name} has ${loops.length} loops`);
  return loops[0]!.instructions;
}

for (const target of [targets.avx2, targets.avx512])
  eachCompiler(`assembler for ${target.name}`, ({ toolchain }) => {
    describe.each([
      ["conversions", conversionLanes(target)],
      ["operations on integers", operationLanes(target)],
    ] as const)("of %s", (_, works) => {
      turn("is of vectors, and short", async () => {
        const loops = await loopsOf(works, target, toolchain);
        const bad = loops.filter(
          ({ instructions, most, mostMoves }) =>
            instructions.length > most || movesOfLanes(instructions).length > mostMoves,
        );
        expect(loops.length).toBeGreaterThan(150);
        expect(bad.map(({ func, instructions }) => [func.name, ...instructions])).toEqual([]);
      });
    });

    turn("of scalars divided by constants has no branch and no division", async () => {
      const loops = await loopsOf(scalarDivisions, target, toolchain);
      const bad = loops.filter(
        ({ instructions }) =>
          instructions.filter((line) => /^\s+j/.test(line)).length > 1 ||
          instructions.some((line) => /\bi?div/.test(line)),
      );
      expect(bad.map(({ func, instructions }) => [func.name, ...instructions])).toEqual([]);
    });
  });
