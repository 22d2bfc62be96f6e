import { softwareEnvironment, openSoftwareGpu, wrongOnGpu } from "./test/support/webgpu.ts";
import { instantiate, opLibrary, webgpu } from "./src/compiler/index.ts";
import { generateSpace } from "./src/tuner/space/generate.ts";
import { predict } from "./src/tuner/search/predict.ts";
import { candidateKernel } from "./src/tuner/kernel/candidate-kernel.ts";
import { referenceOf } from "./test/support/reference.ts";
import { createRng } from "./src/tuner/support/rng.ts";
import { writeFileSync } from "node:fs";
void softwareEnvironment;
const { gemm, conv2d, softmax, layerNorm } = opLibrary;
const all: any = {
  gemm: gemm({ M: 64, N: 48, K: 40 }, { bias: true, activation: 'relu' }),
  large: gemm({ M: 256, N: 256, K: 256 }), odd: gemm({ M: 33, N: 17, K: 13 }), conv2d: conv2d({ H: 14, W: 14, C: 8, F: 16, padding: 1 }),
  softmax: softmax({ M: 8, N: 96 }), layerNorm: layerNorm({ M: 8, N: 96 }), bytes: gemm({ M: 16, N: 16, K: 32, dtype: 'i8' }), packed: gemm({ M: 16, N: 48, K: 40 }),
};
const gpu = await openSoftwareGpu();
const only = process.argv.slice(2);
for (const [name, op] of Object.entries(all)) {
  if (only.length && !only.includes(name)) continue;
  const def = instantiate(op as any, {}, "kernel");
  const task = { op: def, target: webgpu, numerics: "fast", threads: 1 } as any;
  const space = generateSpace(task);
  const c = predict(space)!;
  let t = performance.now();
  const k = candidateKernel(task, space, c, { verify: true }) as any;
  const lower = performance.now() - t;
  if (k.kind !== "ok") { console.log(name, k.diagnostic.message); continue; }
  writeFileSync(`/tmp/w-${name}.wgsl`, k.source.text);
  t = performance.now();
  try {
    const wrong = await wrongOnGpu(gpu, referenceOf(def, createRng(1)), k.source);
    console.log(name, "lower", lower.toFixed(0), "chars", k.source.text.length, "wrong:", wrong, "ms", (performance.now() - t).toFixed(0));
  } catch (e) { console.log(name, "chars", k.source.text.length, "ERR", (e as Error).message.slice(0, 300)); }
}
process.exit();
