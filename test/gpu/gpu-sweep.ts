// Schedules drawn from the spaces of operators, run on the GPU of this machine and held against the reference, one after the other:
// `npm run test:gpu`. Red zones around all arrays tell what was written beside them. It goes on until all samples were taken or its
// seconds are over, and says how many of each were right.
//
//   node test/run-typescript.js gpu-sweep -- [--only gemm,softmax] [--samples 200] [--seed 1] [--seconds 600] [--nvrtc <libnvrtc>] [--json <file>]

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  type ComputeDef,
  type CudaSource,
  cudaSm80,
  cudaSm90,
  generateKernel,
  instantiate,
  instantiateTemplate,
  type Op,
  opLibrary,
  printDiagnostic,
  printTrace,
} from "../../src/compiler/index.ts";
import { deviceMemory } from "../../src/native/cuda/device-memory.ts";
import { openDevice } from "../../src/native/cuda/driver.ts";
import { loadNvrtc } from "../../src/native/cuda/nvrtc.ts";
import type { KernelArray } from "../../src/native/runner/protocol.ts";
import { compileModel } from "../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../src/tuner/constraint/solver/sample.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { firstMismatch, type Reference, referenceOf } from "../support/reference.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    samples: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "600" },
    nvrtc: { type: "string" },
    json: { type: "string" },
  },
});

const { attention, batchMatmul, conv2d, gemm, gemmExpGemm, gemv, layerNorm, maxPool2d, softmax, sum } = opLibrary;

/** Sizes are small, so that the reference is there at once, and uneven, so that groups of all shapes divide some of them. */
const operators: Readonly<Record<string, Op>> = {
  gemm: gemm({ M: 256, N: 384, K: 192, dtype: "f16" }),
  "gemm bf16": gemm({ M: 512, N: 256, K: 256, dtype: "bf16" }),
  "bias and relu": gemm({ M: 192, N: 256, K: 128, dtype: "f16" }, { bias: true, activation: "relu" }),
  batches: batchMatmul({ batch: 3, M: 128, N: 192, K: 128, dtype: "bf16" }),
  "two products": gemmExpGemm({ M: 64, N: 64, K: 32, L: 32, dtype: "f16" }),
  "gemm f32": gemm({ M: 33, N: 70, K: 45 }),
  conv2d: conv2d({ H: 9, W: 8, C: 5, F: 7 }),
  softmax: softmax({ M: 70, N: 37 }),
  layerNorm: layerNorm({ M: 33, N: 150 }),
  attention: attention({ heads: 2, M: 16, N: 24, D: 8 }),
  gemv: gemv({ M: 70, K: 45 }),
  maxPool2d: maxPool2d({ H: 9, W: 8, C: 5 }),
  "sums of rows": sum({ M: 64, N: 33 }),
};

const device = await openDevice().catch((error: Error) => {
  console.error(`nothing was checked: ${error.message}`);
  process.exit(1);
});
const compiler = await loadNvrtc(values.nvrtc);
if (!compiler) throw new Error("there is no NVRTC: --nvrtc <path of libnvrtc>");
const target = device.capability[0] === 9 ? cudaSm90 : cudaSm80;
const until = performance.now() + Number(values.seconds) * 1000;

/** Returns what is wrong with one schedule; null: it is right. */
function wrongOn(op: ComputeDef, reference: Reference, trace: Parameters<typeof generateKernel>[1]): string | null {
  const kernel = generateKernel(op, trace, target, { numerics: "fast", verify: false });
  if (kernel.kind !== "ok") return printDiagnostic(kernel.diagnostic);
  const source = kernel.source as CudaSource;
  const outputs = reference.expected.map(({ values: { length }, values: array }) => {
    const fresh = new (array.constructor as new (length: number) => KernelArray)(length);
    new Uint8Array(fresh.buffer).fill(0xff);
    return fresh;
  });
  const arrays = [...reference.inputs, ...outputs];
  const memory = deviceMemory(device, source.parameters, arrays);
  const scratch = source.scratch.map(({ bytes }) => device.alloc(bytes));
  const module = device.load(compiler!.compile(source, source.architecture).cubin);
  memory.upload();
  for (const launch of source.launches) module.launcher(launch, [...memory.addresses, ...scratch])();
  device.wait();
  const touched = memory.download();
  module.unload();
  memory.free();
  scratch.forEach(device.free);
  if (touched !== null) return `it wrote outside of ${touched}`;
  return firstMismatch(
    reference,
    ({ name }) => outputs[reference.expected.findIndex((it) => it.parameter.name === name)]!,
  );
}

interface Count {
  right: number;
  wrong: number;
}

const counts = new Map<string, Count>();
const wanted = values.only?.split(",") ?? Object.keys(operators);
for (const [name, library] of Object.entries(operators).filter(([name]) => wanted.includes(name))) {
  const op = instantiate(library, {}, "op");
  const reference = referenceOf(op, createRng(Number(values.seed)));
  const space = generateSpace({ op, target, numerics: "fast", threads: 1 });
  for (const { name: template, model, instructions, op: computed } of space.templates) {
    const [compiled, rng] = [compileModel(model), createRng(Number(values.seed))];
    const count: Count = { right: 0, wrong: 0 };
    counts.set(`${name}: ${template}`, count);
    for (let at = 0; at < Number(values.samples) && performance.now() < until; at++) {
      const point = sample(compiled, rng);
      if (point.kind !== "found") throw new Error(`${name}: no point, ${point.kind}`);
      const trace = instantiateTemplate(instructions, point.assignment);
      const wrong = wrongOn(computed, reference, trace);
      count[wrong === null ? "right" : "wrong"] += 1;
      if (wrong !== null) console.log(`${name}, ${template}: ${wrong}\n${printTrace(trace)}`);
    }
    console.log(`${name}, ${template}: ${count.right} right, ${count.wrong} wrong`);
  }
}
const all = [...counts.values()].reduce((sum, it) => ({ right: sum.right + it.right, wrong: sum.wrong + it.wrong }));
console.log(`${device.name}, seed ${values.seed}: ${all.right} right, ${all.wrong} wrong`);
if (values.json)
  writeFileSync(values.json, `${JSON.stringify({ device: device.name, counts: Object.fromEntries(counts) })}\n`);
process.exitCode = all.wrong === 0 && all.right > 0 ? 0 : 1;
