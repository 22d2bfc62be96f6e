// `?tune=webgpu` through the plugin: predicted where there is no GPU, also in frozen builds; tuned, locked and built again from the lock where
// there is one, here Dawn's software adapter; and the twin alone where WebGPU has no numbers for the operator.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rollup } from "rollup";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openProject } from "../../src/cli/project/project.ts";
import { importedKernels } from "../../src/cli/project/wanted-kernels.ts";
import { verifyKernel } from "../../src/plugin/kernel/compile/verify-kernel.ts";
import type { Mode } from "../../src/plugin/options/types.ts";
import { runMoved, writeApp } from "../support/build-app.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";
import { noSoftwareGpu } from "../support/webgpu.ts";

const turn = inTurn(5);

const mainText = (query: string): string => `
import gemm from "./gemm.op.ts?tune=webgpu${query}";
const integers = (length, salt) => Float32Array.from({ length }, (_, at) => ((at * 7 + salt) % 11) - 5);
const [A, B] = [integers(32 * 48, 1), integers(48 * 40, 2)];
const results = [...gemm(A, B)];
await gemm.ready();
const late = [...(await gemm.async(A, B))];
const wrong = results.filter((value, at) => value !== late[at]).length;
const { twin, twinReason, target, gflops, gpu } = gemm.info;
console.log(JSON.stringify({ wrong, twin, twinReason, target, isMeasured: gflops !== null, adapter: gpu.adapter, reason: gpu.reason }));
process.exit();`;

const app = (query: string, dtype = "f32"): string =>
  writeApp({
    "src/main.js": mainText(query).replaceAll("Float32Array", dtype === "f64" ? "Float64Array" : "Float32Array"),
    "src/gemm.op.ts": `import { gemm } from "unplugin-kernel/ops"; export default gemm({ M: 32, N: 40, K: 48, dtype: "${dtype}" });`,
  });

interface Built {
  readonly lines: readonly string[];
  readonly code: string;
}

async function build(root: string, mode: Mode): Promise<Built> {
  const said = [vi.spyOn(console, "error"), vi.spyOn(console, "warn")];
  for (const spy of said) spy.mockImplementation(() => undefined);
  try {
    const bundle = await rollup({ input: join(root, "src/main.js"), plugins: [kernelPlugin.rollup({ root, mode })] });
    await bundle.write({ dir: join(root, "out"), format: "es", entryFileNames: "main.mjs" });
    await bundle.close();
    const lines = said.flatMap(({ mock }) => mock.calls.map(([line]) => String(line)));
    return { lines, code: readFileSync(join(root, "out/main.mjs"), "utf8") };
  } finally {
    for (const spy of said) spy.mockRestore();
  }
}

afterEach(() => {
  vi.unstubAllEnvs();
});

const right = { wrong: 0, target: "webgpu" };

describe("without a GPU", () => {
  turn.each<Mode>(["tune", "frozen", "predict"])("mode %s takes the prediction, and locks none", async (mode) => {
    vi.stubEnv("UNPLUGIN_KERNEL_WEBGPU_SOFTWARE", "0");
    const root = app("");
    const { lines } = await build(root, mode);
    expect(lines).toEqual([expect.stringMatching(/1 kernel predicted, 0 measured, 0 compiler runs/)]);
    expect(() => readFileSync(join(root, "kernels.lock.json"))).toThrow("ENOENT");
    expect(runMoved(root)).toMatchObject({ ...right, isMeasured: false, adapter: null });
  });

  turn("verify says that it was not run, and a command finds nothing wrong", async () => {
    vi.stubEnv("UNPLUGIN_KERNEL_WEBGPU", "/nowhere");
    const root = app("");
    const project = openProject({ root }, "silent");
    const [request] = await importedKernels(project);
    const { notRun } = await verifyKernel(await project.contextOf(request!, "frozen"));
    expect(notRun).toMatch(/^there is no WebGPU for Node: install the package webgpu/);
  });

  turn("a program says why", async () => {
    vi.stubEnv("UNPLUGIN_KERNEL_WEBGPU", "/nowhere");
    const root = app("");
    await build(root, "predict");
    expect(runMoved(root)).toMatchObject({ ...right, reason: "there is no WebGPU here" });
  });
});

turn.skipIf(noSoftwareGpu !== null)(
  `with one it is tuned, locked, and built again from the lock${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`,
  async () => {
    const root = app("&trials=4");
    const first = await build(root, "tune");
    expect(first.lines.at(-1)).toMatch(/1 kernel tuned, [1-9]\d* measured, 0 compiler runs/);
    const lock = JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8"));
    expect(Object.entries(lock.kernels)).toEqual([
      [
        expect.stringMatching(/\?.*tune=webgpu/),
        expect.objectContaining({ target: expect.objectContaining({ backend: "wgsl" }) }),
      ],
    ]);
    const again = await build(root, "frozen");
    expect(again.lines.at(-1)).toMatch(/1 kernel from kernels\.lock\.json, 0 measured, 0 compiler runs/);
    expect(again.code).toBe(first.code);
    const { adapter, reason, ...answer } = runMoved(root) as { adapter: string | null; reason: string | null };
    expect(answer).toMatchObject({ ...right, isMeasured: true });
    expect(adapter ?? reason).toMatch(/^google swiftshader$|^the GPU takes /);
  },
);

turn.skipIf(noSoftwareGpu !== null)(
  `schedules of the lock for classes of GPUs go along${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`,
  async () => {
    const root = app("-software&trials=4");
    await build(root, "tune");
    const before = readFileSync(join(root, "kernels.lock.json"), "utf8");
    writeFileSync(join(root, "src/main.js"), mainText(""));
    const { code, lines } = await build(root, "frozen");
    expect(lines).toEqual([expect.stringMatching(/1 kernel predicted, 0 measured, 0 compiler runs/)]);
    expect(code).toMatch(/gpus: \["software"\]/);
    expect(readFileSync(join(root, "kernels.lock.json"), "utf8")).toBe(before);
    expect(runMoved(root)).toMatchObject(right);
  },
);

turn.skipIf(noSoftwareGpu !== null)(
  `schedules by shuffles go along for adapters with subgroups${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`,
  async () => {
    const softmax = (query: string): string => `
import softmax from "./softmax.op.ts?tune=webgpu${query}";
const X = Float32Array.from({ length: 32 * 64 }, (_, at) => ((at * 7) % 11) - 5);
const rows = [...softmax(X)];
await softmax.ready();
const late = [...(await softmax.async(X))];
const { target, gpu } = softmax.info;
console.log(JSON.stringify({ isNear: rows.every((value, at) => Math.abs(value - late[at]) < 1e-6), target, adapter: gpu.adapter, reason: gpu.reason }));
process.exit();`;
    const root = writeApp({
      "src/main.js": softmax("-software-subgroups&trials=1"),
      "src/softmax.op.ts": `import { softmax } from "unplugin-kernel/ops"; export default softmax({ M: 32, N: 64 });`,
    });
    const runs = (wanted: string): void => {
      const { isNear, target, adapter, reason } = runMoved(root) as Record<string, unknown>;
      expect({ isNear, target }).toEqual({ isNear: true, target: wanted });
      expect(adapter ?? reason).toMatch(/^google swiftshader$|^the GPU takes /);
    };
    await build(root, "tune");
    runs("webgpu-software-subgroups");
    writeFileSync(join(root, "src/main.js"), softmax(""));
    const { code } = await build(root, "frozen");
    expect(code).toMatch(/gpus: \["software-subgroups"\],\s+lanes: 4/);
    expect(code).toMatch(/enable subgroups;.*subgroupShuffleXor\(/);
    runs("webgpu");
  },
);

describe("an operator of f64", () => {
  turn("is the twin's", async () => {
    const root = app("", "f64");
    const { lines } = await build(root, "tune");
    expect(lines.join("\n")).toMatch(
      /gemm\.op\.ts\?.*: A is f64, and WebGPU has no such numbers; the WASM twin runs instead/,
    );
    const why = "A is f64, and WebGPU has no such numbers";
    expect(runMoved(root)).toMatchObject({
      ...right,
      twinReason: expect.stringContaining(why),
      adapter: null,
      reason: why,
    });
  });

  test("is refused where there is to be no twin", async () => {
    await expect(build(app("&fallback=none", "f64"), "tune")).rejects.toThrow(
      /A is f64, and WebGPU has no such numbers/,
    );
  });
});
