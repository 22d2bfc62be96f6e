// Commands about kernels for NVIDIA's GPUs, on a driver and a compiler for tests: what they print, and what goes into the lock.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type FakeCuda, makeFakeCuda, noFakeGpu } from "../../support/cuda.ts";
import { inTurn } from "../../support/long.ts";
import { gemm, runCli, writeProject } from "../project.ts";

const turn = inTurn(2);

const without = noFakeGpu ? ` (${noFakeGpu})` : "";
let fake: FakeCuda;
beforeAll(() => {
  if (noFakeGpu === null) fake = makeFakeCuda();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const files = {
  "src/gemm.op.ts": gemm,
  "src/main.ts": 'import gemm from "./gemm.op.ts?tune=cuda-sm90";\nconsole.log(gemm);\n',
};
const name = "src/gemm.op.ts?tune=cuda-sm90";

function machine(driver: string): void {
  vi.stubEnv("UNPLUGIN_KERNEL_NVRTC", fake.nvrtc);
  vi.stubEnv("UNPLUGIN_KERNEL_CUDA", driver);
}

describe.skipIf(noFakeGpu !== null)(`the commands${without}`, () => {
  turn("inspect prints CUDA C, types knows the members, doctor what is here", () => {
    machine("/nowhere");
    const root = writeProject(files);
    expect(runCli(root, "inspect", `./${name}`, "--only", "code").output).toMatch(
      /extern "C" __global__ void __launch_bounds__\(\d+\) gemm_\w+_cuda_sm90_0\(/,
    );
    expect(runCli(root, "types").exitCode).toBe(0);
    expect(readFileSync(join(root, "src/kernel-imports.d.ts"), "utf8")).toMatch(
      /gemm\.op\.ts\?tune=cuda-sm90" \{\n.*\n {2}const kernel: .* & import\("unplugin-kernel\/op"\)\.OnCuda;/,
    );
    const { output } = runCli(root, "doctor");
    expect(output).toMatch(/^CUDA {7}there is no CUDA driver \(looked for \/nowhere: .*\); NVRTC 13\.0$/m);
    expect(output).toMatch(/^\| cuda-sm80 +\| yes +\| no +\| there is no CUDA driver/m);
  });

  test("doctor names the GPUs, and says which targets they run", () => {
    machine(fake.driver);
    vi.stubEnv("FAKE_CUDA_CAPABILITY", "89");
    const { output } = runCli(writeProject(files), "doctor");
    expect(output).toMatch(/^CUDA {7}Fake GPU 0 \(8\.9\); NVRTC 13\.0$/m);
    expect(output).toMatch(/^\| cuda-sm80 +\| yes +\| yes +\|/m);
    expect(output).toMatch(
      /^\| cuda-sm90 +\| yes +\| no +\| Fake GPU 0 has compute capability 8\.9, and the kernel is for 9\.0 alone/m,
    );
  });

  turn("tune locks what it measured, verify runs it, and says where it cannot", () => {
    machine(fake.driver);
    const root = writeProject(files);
    const tuned = runCli(root, "tune", "--trials", "2", "--seconds", "600");
    expect([tuned.exitCode, tuned.output]).toEqual([0, expect.stringMatching(/\| src\/gemm\.op\.ts\?tune=cuda-sm90/)]);
    const { kernels } = JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8"));
    expect(kernels[name].target).toMatchObject({ name: "cuda-sm90", backend: "cuda", kind: "accelerator" });
    expect(runCli(root, "verify").output).toMatch(/^right +src\/gemm\.op\.ts\?tune=cuda-sm90/m);
    machine("/nowhere");
    const { exitCode, output, errors } = runCli(root, "verify");
    expect([exitCode, output + errors]).toEqual([0, expect.stringMatching(/there is no CUDA driver/)]);
  });
});
