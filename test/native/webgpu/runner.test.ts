// Candidates for WebGPU in the measuring process, on SwiftShader: one that never ends, one that writes elsewhere and one that loses the
// device cost no more than their outcome and perhaps the process, and the next one runs.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterEach, describe, expect } from "vitest";
import type { KernelParameter } from "../../../src/compiler/index.ts";
import { packageFile } from "../../../src/native/machine/package-file.ts";
import { createRunner, type Runner, type RunnerOptions } from "../../../src/native/runner/client.ts";
import type { RunOutcome, RunTask } from "../../../src/native/runner/protocol.ts";
import { findDawn } from "../../../src/native/webgpu/dawn.ts";
import type { WgslRunnable } from "../../../src/native/webgpu/loader.ts";
import { inTurn } from "../../support/long.ts";
import { noSoftwareGpu } from "../../support/webgpu.ts";

const turn = inTurn(2);

const parameters: readonly KernelParameter[] = [
  { name: "x", dtype: "f32", shape: [3], length: 3, role: "input" },
  { name: "y", dtype: "f32", shape: [3], length: 3, role: "output" },
];

const doubling: RunTask = {
  parameters,
  inputs: [Float32Array.of(1, 2, 3)],
  expected: [{ values: Float32Array.of(2, 4, 6), bound: { kind: "exact" } }],
};

const ownLoader = pathToFileURL(packageFile("dist/native/webgpu-loader.js")).href;

/** @param body statements of each of four threads */
const candidate = (body: string, module = ownLoader): WgslRunnable => ({
  kind: "wgsl",
  module,
  dawn: findDawn(),
  text: `@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(4) fn k_0(@builtin(local_invocation_id) at: vec3<u32>) {
  ${body}
}
`,
  launches: [{ entry: "k_0", grid: [1, 1, 1], arrays: [0, 1] }],
  scratch: [],
});

const right = "if (at.x < 3u) { y[at.x] = x[at.x] * 2.0f; }";
/** No input is so large, which no compiler knows. */
const endless = "loop { y[at.x % 3u] += 1.0f; if (x[0] > 100.0f) { break; } }";

const open: Runner[] = [];
afterEach(async () => {
  for (const runner of open.splice(0)) await runner.close();
});

function runnerFor(options: RunnerOptions = {}): Runner {
  const runner = createRunner({ exclusive: false, deadlineMs: 60_000, ...options });
  runner.setTask(doubling);
  open.push(runner);
  return runner;
}

const run = (runner: Runner, one: WgslRunnable): Promise<RunOutcome> =>
  runner.run({ candidate: one, incumbentNs: null });

/** Bundles a loader whose device is destroyed when it has run one candidate. */
async function loaderThatLoses(): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), "loses-")), "loader.mjs");
  const from = (path: string): string => JSON.stringify(packageFile(`src/native/webgpu/${path}.ts`));
  await build({
    stdin: {
      contents: `
        import { findDawn, loadDawn } from ${from("dawn")};
        import { openGpu } from ${from("device")};
        import { createWebgpuLoader } from ${from("loader")};
        let gpu = null;
        const made = createWebgpuLoader(
          async (dawn) => (gpu = await openGpu(await loadDawn(dawn), { software: true })),
          (reason) => {
            console.error(reason);
            process.exit(70);
          },
          findDawn,
        );
        export const loader = {
          ...made,
          async load(runnable, place) {
            const kernel = await made.load(runnable, place);
            if (!runnable.text.includes("last")) return kernel;
            return { ...kernel, get arrays() { return kernel.arrays; }, async download() {
              await kernel.download();
              gpu.device.destroy();
              await gpu.lost;
            } };
          },
        };`,
      resolveDir: packageFile("."),
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile,
    logLevel: "warning",
  });
  return pathToFileURL(outfile).href;
}

describe.skipIf(noSoftwareGpu)(`a candidate on SwiftShader${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`, () => {
  turn("that never ends costs its deadline and its process", async () => {
    const runner = runnerFor({ deadlineMs: 5000 });
    const outcomes = await Promise.all([right, endless, right].map((body) => run(runner, candidate(body))));
    expect(outcomes.map(({ kind }) => kind)).toEqual(["ok", "timed-out", "ok"]);
  });

  turn("that is wrong, writes elsewhere or is no text costs its outcome", async () => {
    const runner = runnerFor();
    const bodies = [
      "if (at.x < 3u) { y[at.x] = x[at.x]; }",
      "y[at.x] = x[min(at.x, 2u)] * 2.0f;",
      "y[at.q] = 1.0f;",
      right,
    ];
    const outcomes = await Promise.all(bodies.map((body) => run(runner, candidate(body))));
    expect(outcomes.map(({ kind }) => kind)).toEqual(["wrong-result", "crashed", "build-failed", "ok"]);
  });

  turn("that loses the device costs its process", async () => {
    const module = await loaderThatLoses();
    const runner = runnerFor();
    const bodies = [`${right} // last`, right, right];
    const outcomes = await Promise.all(bodies.map((body) => run(runner, candidate(body, module))));
    expect(outcomes).toEqual([
      { kind: "crashed", reason: expect.stringContaining("the device was lost") },
      { kind: "ok", samplesNs: expect.anything() },
      { kind: "ok", samplesNs: expect.anything() },
    ]);
  });
});
