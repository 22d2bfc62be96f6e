// How many kernels a second the compiler of CUDA C makes, machine code and PTX of each: the first schedules of products on tensor cores, one
// after the other and then as many at once as a tuning begins. Neither needs a GPU.
//
//     npm run bench:cuda-compiler

import { type CudaSource, cudaSm80, cudaSm90, instantiate, isCudaSource } from "../../src/compiler/index.ts";
import { conv2d, gemm } from "../../src/compiler/ops/index.ts";
import { cudaTools } from "../../src/native/cuda/compiler.ts";
import { nowMs } from "../../src/native/machine/clock.ts";
import { detectMachine } from "../../src/native/machine/machine.ts";
import { firstSchedules } from "../support/first-schedules.ts";
import { npmRun, recordRun } from "../support/record-run.js";

const batch = 24;

const products = {
  "gemm bf16 4096x4096x4096": gemm({ M: 4096, N: 4096, K: 4096, dtype: "bf16" }),
  "gemm f16 1024x1024x1024": gemm({ M: 1024, N: 1024, K: 1024, dtype: "f16" }),
  "conv2d f16 16x56x56x64": conv2d({ N: 16, H: 56, W: 56, C: 64, F: 64, padding: 1, dtype: "f16" }),
};

const tools = await cudaTools();
if (!tools.isCompiler) throw new Error("there is neither NVRTC nor nvcc");
console.log(`${tools.identity}, ${detectMachine().cores} cores`);

const compile = (source: CudaSource) => tools.compile(source, source.architecture);

async function oneByOne(sources: readonly CudaSource[]): Promise<void> {
  for (const source of sources) await compile(source);
}

async function together(sources: readonly CudaSource[]): Promise<void> {
  await Promise.all(sources.map(compile));
}

async function rateOf(work: (sources: readonly CudaSource[]) => Promise<void>, sources: readonly CudaSource[]) {
  const start = nowMs();
  await work(sources);
  return ((1000 * sources.length) / (nowMs() - start)).toFixed(1);
}

const rates: string[] = [];
for (const target of [cudaSm80, cudaSm90]) {
  for (const [title, op] of Object.entries(products)) {
    const task = { op: instantiate(op, {}, "op"), target, numerics: "fast", threads: 1 } as const;
    const sources = firstSchedules(task, batch, isCudaSource).map(({ source }) => source);
    // Processes have started and the libraries are in memory.
    await together(sources.slice(0, 8));
    const [slow, fast] = [await rateOf(oneByOne, sources), await rateOf(together, sources)];
    rates.push(`${slow} and ${fast}`);
    console.log(`${target.name}, ${title}, ${sources.length} kernels: ${slow} a second one by one, ${fast} at once`);
  }
}
recordRun(npmRun("bench:cuda-compiler"), `${tools.identity}, a second, one by one and at once: ${rates.join("; ")}`);
