// What a schedule takes of a GPU is what its space counts, by NVIDIA's compiler; and what would be wrong is seen.

import { describe, expect } from "vitest";
import { type CudaSource, cudaSm90 } from "../../../src/compiler/index.ts";
import { noCudaTools, openNvrtc } from "../../compiler/cuda/tools.ts";
import { inTurn } from "../../support/long.ts";
import { drawRound, type SweptSchedule } from "./draw-round.ts";
import { codeReader } from "./machine-code.ts";
import { sweptFor } from "./operators.ts";

const turn = inTurn(2);
const nvrtc = noCudaTools === null ? await openNvrtc() : null;
const cubinOf = (source: CudaSource, architecture: string): Uint8Array => nvrtc!.compile(source, architecture).cubin;
const operators = sweptFor(cudaSm90, { runs: false });

/** The first round of an operator that has schedules. */
function schedulesOf(title: string, wanted: number): readonly SweptSchedule[] {
  const operator = operators.find((it) => it.title === title)!;
  for (let round = 0; ; round++) {
    const drawn = drawRound(operator, 1, round, { target: cudaSm90, wanted });
    if (drawn) return drawn.schedules;
  }
}

const withKernel = (schedule: SweptSchedule, changed: Partial<CudaSource["launches"][number]>): SweptSchedule => {
  if (typeof schedule.kernel === "string") throw new Error(schedule.kernel);
  const source = schedule.kernel.source as CudaSource;
  const launches = source.launches.map((launch) => ({ ...launch, ...changed }));
  return { ...schedule, kernel: { ...schedule.kernel, source: { ...source, launches } } };
};

describe.skipIf(!nvrtc)(`schedules for cuda-sm90 in machine code${nvrtc ? "" : ` (${noCudaTools})`}`, () => {
  turn.each([
    { title: "gemm of whole tiles", areCounted: true },
    { title: "batches of whole tiles", areCounted: true },
    { title: "deep products of whole tiles", areCounted: true },
    { title: "products of whole panels", areCounted: true },
    { title: "softmax", areCounted: false },
  ])("$title: nothing spills, memory is what was counted, all can be launched", ({ title, areCounted }) => {
    const reader = codeReader(cubinOf, cudaSm90);
    const schedules = schedulesOf(title, 6);
    expect(schedules.map(reader.wrongOf)).toEqual(schedules.map(() => null));
    expect(reader.counted().schedules).toBe(areCounted ? schedules.length : 0);
    expect(reader.counted()).toEqual({ schedules: 0, near: 0 });
  });

  turn("other memory, more than a GPU has, and what was not generated are seen", () => {
    const { wrongOf } = codeReader(cubinOf, cudaSm90);
    const [schedule] = schedulesOf("gemm of whole tiles", 6).filter(({ template }) =>
      template.includes("tensor cores"),
    );
    const entries = Object.entries(schedule!.assignment!);
    const counted = entries.map(([name, value]) => [name, name.endsWith(".group-bytes") ? value + 16 : value] as const);
    expect(wrongOf({ ...schedule!, assignment: Object.fromEntries(counted) })).toMatch(/bytes, \d+ were counted/);
    const unknown = { ...schedule!, assignment: null };
    expect(wrongOf(withKernel(unknown, { group: [2048, 1, 1] }))).toContain("2048 threads");
    expect(wrongOf(withKernel(unknown, { groupBytes: 300_000 }))).toContain("300000 bytes");
    expect(wrongOf({ ...schedule!, kernel: "it is illegal" })).toBe("it is illegal");
  });
});
