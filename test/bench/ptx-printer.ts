// Printed PTX beside what NVRTC makes of CUDA C, of the same drawn schedules: registers, instructions and spills that NVIDIA's assembler says of
// both, and milliseconds. The assembler is that in NVRTC; a GPU is not needed.
//
//     npm run bench:ptx-printer -- --target cuda-sm80 --schedules 4 --only gemm

import { parseArgs } from "node:util";
import { type AcceleratorTarget, type CudaSource, targetNamed } from "../../src/compiler/index.ts";
import { gpuArchitecture } from "../../src/native/cuda/ptx.ts";
import { nowMs } from "../../src/native/machine/clock.ts";
import { assemblePtx } from "../compiler/cuda/assemble-ptx.ts";
import { openNvrtc, readMachineCode, resourceUsages } from "../compiler/cuda/tools.ts";
import { drawRound } from "../gpu/sweep/draw-round.ts";
import { sweptFor } from "../gpu/sweep/operators.ts";
import { npmRun, recordRun } from "../support/record-run.js";

const { values } = parseArgs({
  options: {
    target: { type: "string", default: "cuda-sm80" },
    schedules: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    seed: { type: "string", default: "5" },
  },
});
const target = targetNamed(values.target) as AcceleratorTarget;
const nvrtc = await openNvrtc();

interface Machine {
  /** Of the function that takes most. */
  readonly registers: number;
  /** Instructions but those that fill up. */
  readonly instructions: number;
  readonly spilled: number;
  readonly ms: number;
}

function measured(make: () => Uint8Array): Machine {
  const start = nowMs();
  const cubin = make();
  const ms = nowMs() - start;
  const { stack, local, instructions } = readMachineCode(cubin);
  const registers = Math.max(...[...resourceUsages(cubin).values()].map((usage) => usage.registers));
  const counted = [...instructions].filter(([name]) => name !== "NOP" && name !== "BRA");
  return { registers, instructions: counted.reduce((sum, [, count]) => sum + count, 0), spilled: stack + local, ms };
}

const pairs: (readonly [printed: Machine, compiled: Machine])[] = [];
for (const operator of sweptFor(target)) {
  if (!operator.title.includes(values.only)) continue;
  const round = drawRound(operator, Number(values.seed), 0, { target, wanted: Number(values.schedules) });
  for (const { kernel } of round?.schedules ?? []) {
    if (typeof kernel === "string") throw new Error(kernel);
    const source = kernel.source as CudaSource;
    const architecture = gpuArchitecture(source);
    const printed = measured(() => assemblePtx(nvrtc, source.ptx(architecture), architecture));
    pairs.push([printed, measured(() => nvrtc.compile(source, architecture).cubin)]);
  }
}

const mean = (ratioOf: (pair: (typeof pairs)[number]) => number): string =>
  Math.exp(pairs.reduce((sum, pair) => sum + Math.log(ratioOf(pair)), 0) / pairs.length).toFixed(3);
const ratios = (part: "registers" | "instructions" | "ms"): string => {
  const all = pairs.map(([printed, compiled]) => printed[part] / compiled[part]).sort((a, b) => a - b);
  const [p90, most] = [all[Math.floor(all.length * 0.9)]!, all.at(-1)!];
  return `${part} ${mean(([printed, compiled]) => printed[part] / compiled[part])} (p90 ${p90.toFixed(2)}, most ${most.toFixed(2)})`;
};
const total = (side: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[side].ms, 0);
const spilled = pairs.filter(([printed]) => printed.spilled > 0).length;
const rates = [total(0), total(1)].map((ms) => ((1000 * pairs.length) / ms).toFixed(1)).join(" and ");
const result = `${pairs.length} kernels, printed to compiled by ${nvrtc.identity}: ${ratios("registers")}, ${ratios("instructions")}, ${ratios("ms")}; ${spilled} spill; ${rates} a second in one process`;
console.log(result);
recordRun(npmRun("bench:ptx-printer"), result);
// NVRTC keeps threads.
process.exit();
