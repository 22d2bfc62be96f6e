// Machine code of drawn schedules, by NVRTC and nvdisasm: products are on tensor cores by the instructions that the schedule names, nothing
// spills, registers are what the space counts, and every operator's text compiles. It runs on no GPU.

import { describe, expect } from "vitest";
import {
  type AcceleratorTarget,
  type Assignment,
  type ComputeDef,
  type CudaSource,
  cudaSm80,
  cudaSm90,
  generateKernel,
  instantiate,
  instantiateTemplate,
  type Op,
  opLibrary,
} from "../../../src/compiler/index.ts";
import { compileModel } from "../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../src/tuner/constraint/solver/sample.ts";
import type { Template } from "../../../src/tuner/data/space.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { valueAt } from "../../gpu/sweep/machine-code.ts";
import { operatorOfRound, sweptOperators } from "../../gpu/sweep/operators.ts";
import { finished, transposed } from "../../support/byte-products.ts";
import { inTurn, isLong, longNote } from "../../support/long.ts";
import { type MachineCode, noCudaTools, openNvrtc, readMachineCode } from "./tools.ts";

const turn = inTurn(5);

const { batchMatmul, gemm, gemmExpGemm } = opLibrary;
const nvrtc = noCudaTools === null ? await openNvrtc() : null;

interface Drawn {
  readonly assignment: Assignment;
  readonly source: CudaSource;
}

/** Templates of the operator as it is written. */
const templatesOf = (op: ComputeDef, target: AcceleratorTarget): readonly Template[] =>
  generateSpace({ op, target, numerics: "fast", threads: 1 }).templates.filter(({ algorithm }) => algorithm === null);

function draw(
  op: ComputeDef,
  target: AcceleratorTarget,
  { model, instructions }: Template,
  count: number,
): readonly Drawn[] {
  const [compiled, rng] = [compileModel(model), createRng(1)];
  return Array.from({ length: count }, () => {
    const point = sample(compiled, rng);
    if (point.kind !== "found") throw new Error(`no point: ${point.kind}`);
    const { assignment } = point;
    const kernel = generateKernel(op, instantiateTemplate(instructions, assignment), target, {
      numerics: "fast",
      verify: false,
    });
    if (kernel.kind !== "ok") throw new Error(kernel.kind);
    return { assignment, source: kernel.source as CudaSource };
  });
}

const compiled = ({ source }: Drawn): MachineCode => readMachineCode(nvrtc!.compile(source, source.architecture).cubin);

/** Value of the only variable with such an end, which a product on tensor cores has. */
function countedAt(assignment: Assignment, end: string): number {
  const value = valueAt(assignment, end);
  if (value === null) throw new Error(`${end}: none, or several`);
  return value;
}

const countOf = ({ instructions }: MachineCode, name: string): number => instructions.get(name) ?? 0;

const relu = { bias: true, activation: "relu" } as const;
/** With the targets that every run has. */
const products: readonly (readonly [string, Op, readonly AcceleratorTarget[]])[] = [
  ["gemm f16", gemm({ M: 512, N: 1024, K: 256, dtype: "f16" }), [cudaSm90]],
  ["gemm bf16, bias and relu", gemm({ M: 256, N: 512, K: 512, dtype: "bf16" }, relu), [cudaSm80]],
  ["batches", batchMatmul({ batch: 3, M: 128, N: 256, K: 128, dtype: "bf16" }), [cudaSm80]],
  ["i8, signed and transposed", transposed(["i8", "i8"], [512, 256, 512]), [cudaSm80]],
  ["u8 · i8, bias and relu", finished(["u8", "i8"], [256, 256, 512]), [cudaSm90]],
];
const cases = products.flatMap(([name, op, always]) =>
  [cudaSm80, cudaSm90].map((target) => ({ name, op, target, isNow: isLong || always.includes(target) })),
);

describe.skipIf(noCudaTools)(`machine code${noCudaTools ? ` (${noCudaTools})` : ""}`, () => {
  for (const { name, op, target, isNow } of cases) {
    turn.skipIf(!isNow)(`${name} on ${target.name}${isNow ? "" : longNote}`, () => {
      const defined = instantiate(op, {}, "op");
      const templates = templatesOf(defined, target);
      expect(templates.length, name).toBeGreaterThan(0);
      const close: boolean[] = [];
      for (const template of templates) {
        // Widths of one instruction differ in little, and so do parts of a depth.
        const isOneOfMany = /columns at once|in parts/.test(template.name);
        const count = isOneOfMany ? 1 : 4;
        for (const drawn of draw(defined, target, template, count)) {
          const code = compiled(drawn);
          const what = `${JSON.stringify(drawn.assignment)} ${code.registers} registers`;
          expect({ stack: code.stack, local: code.local }, what).toEqual({ stack: 0, local: 0 });
          const isByWarps = drawn.source.text.includes("mma.sync");
          const areBytes = drawn.source.text.includes(".s32.");
          const claimed = `${areBytes ? "I" : "H"}${isByWarps ? "MMA" : "GMMA"}`;
          for (const instruction of ["HMMA", "IMMA", "HGMMA", "IGMMA"]) {
            expect(countOf(code, instruction) > 0, `${instruction} ${what}`).toBe(instruction === claimed);
          }
          // Operands of a warp come to its registers by tiles; those of four warps are read where they lie.
          expect(countOf(code, "LDSM") > 0, what).toBe(isByWarps);
          const [copies, others] = template.name.includes("by boxes") ? ["UTMALDG", "LDGSTS"] : ["LDGSTS", "UTMALDG"];
          if (countedAt(drawn.assignment, ".stages") > 1) expect(countOf(code, copies), what).toBeGreaterThan(0);
          expect(countOf(code, others), what).toBe(0);
          // Groups of a cluster meet.
          expect(countOf(code, "UCGABAR") > 0, what).toBe(drawn.source.launches.some((it) => it.cluster));
          const counted = countedAt(drawn.assignment, ".registers");
          close.push(Math.abs(counted - code.registers) <= 0.15 * code.registers);
        }
      }
      // The compiler is free to hold more at a time where a loop of few steps is written out.
      expect(close.filter(Boolean).length / close.length).toBeGreaterThanOrEqual(0.75);
    });
  }

  turn("two products in one kernel", () => {
    const op = instantiate(gemmExpGemm({ M: 128, N: 128, K: 64, L: 64, dtype: "f16" }), {}, "op");
    for (const template of templatesOf(op, cudaSm90)) {
      for (const drawn of draw(op, cudaSm90, template, isLong ? 2 : 1)) expect(compiled(drawn).local).toBe(0);
    }
  });

  // Each machine sees every other operator.
  turn.each(sweptOperators.map((operator, at) => ({ ...operator, at })))("$title compiles", (operator) => {
    const { op } = operatorOfRound(operator, 1, 0);
    if (!op) return;
    const target = operator.at % 2 === 0 ? cudaSm80 : cudaSm90;
    const [template] = templatesOf(op, target);
    const [drawn] = draw(op, target, template!, 1);
    expect(nvrtc!.compile(drawn!.source, drawn!.source.architecture).cubin.length).toBeGreaterThan(0);
  });
});
