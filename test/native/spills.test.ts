// The innermost loops of f32 products have all they need in registers.

import { describe, expect, test } from "vitest";
import { type CSource, isCSource, type TargetName, targets } from "../../src/compiler/index.ts";
import { candidateKernel } from "../../src/tuner/kernel/candidate-kernel.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { readResults, type WorkResult } from "../bench/peers/result.ts";
import { gemmWorks } from "../bench/peers/suites/gemm.ts";
import { taskOf } from "../bench/peers/work.ts";
import { assemblerOf } from "../support/assembler.ts";
import { firstSchedules } from "../support/first-schedules.ts";
import { innerLoops, instructionMix, multiplyingLoops, vectorSpills } from "../support/inner-loops.ts";
import { inTurn } from "../support/long.ts";
import { inTempDir, toolchains } from "./compiled.ts";

const turn = inTurn(10);

const gcc = toolchains.find(({ family }) => family === "gcc");

const assembled = (source: CSource): Promise<string> => inTempDir(async (folder) => assemblerOf(source, gcc!, folder));

const winners = readResults("test/bench/peers/results.jsonl").filter(
  ({ suite, target }) => target !== "wasm" && ["gemm", "small", "odd", "packed"].includes(suite),
);
const works = Object.values(gemmWorks).flat();

function winnerOf({ suite, name, target, threads, candidate }: WorkResult): CSource {
  const work = works.find((it) => it.suite === suite && it.name === name)!;
  const task = taskOf(work, { ...targets[target as TargetName], threads });
  const kernel = candidateKernel(task, generateSpace(task), candidate);
  if (kernel.kind !== "ok" || !isCSource(kernel.source)) throw new Error(`${kernel.kind} is no C`);
  return kernel.source;
}

describe.skipIf(!gcc)(`the f32 product that was found fastest${gcc ? "" : " (no gcc here, or no AVX2)"}`, () => {
  test("is known of many works", () => expect(winners.length).toBeGreaterThan(30));

  turn.each(winners)(
    "$suite $name, $threads threads: its innermost loops have their vectors in registers",
    async (it) => {
      const loops = multiplyingLoops(await assembled(winnerOf(it)));
      expect(loops.length).toBeGreaterThan(0);
      expect(loops.flatMap(vectorSpills)).toEqual([]);
    },
  );

  test("would be known by it if it had not", async () => {
    const source = winnerOf(winners[0]!);
    const loops = multiplyingLoops(await assembled({ ...source, text: crowded(source.text) }));
    expect(loops.flatMap(vectorSpills).length).toBeGreaterThan(0);
  });
});

const square = works.find(({ suite, name }) => suite === "gemm" && name === "512³")!;

describe.skipIf(!gcc)(`a step of the product of matrices${gcc ? "" : " (no gcc here, or no AVX2)"}`, () => {
  test("loads each of its operands once", async () => {
    for (const { assignment, source } of firstSchedules(taskOf(square, targets.avx2), 12, isCSource)) {
      const [rows, vectors] = [assignment["C.i.register"]!, assignment["C.j.register"]!];
      const loops = multiplyingLoops(await assembled(source)).map(instructionMix);
      const [main] = loops.toSorted((a, b) => b.multiplying - a.multiplying);
      expect(main!.loads / main!.multiplying).toBeCloseTo((rows + vectors) / (rows * vectors), 6);
    }
  });
});

/** Another text: 40 sums side by side, where there are 32 registers at most. */
const crowded = (text: string): string => {
  const sums = Array.from({ length: 40 }, (_, at) => at);
  return `${text}
typedef float wide __attribute__((vector_size(32)));
void crowded(wide *to, const wide *from, long count) {
  wide factor = to[40];
  ${sums.map((at) => `wide sum${at} = to[${at}];`).join(" ")}
  for (long step = 0; step < count; step++) { ${sums.map((at) => `sum${at} += from[step * 40 + ${at}] * factor;`).join(" ")} }
  ${sums.map((at) => `to[${at}] = sum${at};`).join(" ")}
}
`;
};

test("innermost loops are those that no other is in", () => {
  const text = [
    "f:",
    ".L2:",
    "\tmovq\t%rax, 8(%rsp)",
    ".L3:",
    "\tvfmadd231ps\t(%rsi), %zmm1, %zmm2",
    "\tvmovaps\t-64(%rbp), %zmm3",
    "\tjne\t.L3",
    "\tjne\t.L2",
    ".L4:",
    "\taddq\t$1, %rax",
    "\tjne\t.L4",
    "\tjmp\t.L9",
    ".L9:",
    "\tret",
  ].join("\n");
  expect(innerLoops(text).map(({ label }) => label)).toEqual([".L3", ".L4"]);
  expect(multiplyingLoops(text).map(vectorSpills)).toEqual([["\tvmovaps\t-64(%rbp), %zmm3"]]);
});

test("the mix of a loop counts what multiplies and what goes to memory", () => {
  const instructions = [
    "\tvmovups\t(%rsi), %zmm1",
    "\tvfmadd231ps\t(%rdi){1to16}, %zmm1, %zmm2",
    "\tvdpbf16ps\t%zmm1, %zmm3, %zmm4",
    "\tvmovups\t%zmm2, (%rdx){%k1}",
    "\taddq\t$64, %rsi",
    "\tjne\t.L3",
  ];
  const mix = { instructions: 6, multiplying: 2, loads: 2, stores: 1 };
  expect(instructionMix({ label: ".L3", instructions })).toEqual(mix);
});
