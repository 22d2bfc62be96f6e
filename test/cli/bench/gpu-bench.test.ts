// `bench` of kernels for GPUs: on the device and with copies, beside the twins; the reason where there is no GPU. WebGPU is SwiftShader, CUDA a
// driver for tests, so times are not judged.

import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageFile } from "../../../src/native/machine/package-file.ts";
import { makeFakeCuda, noFakeGpu } from "../../support/cuda.ts";
import { inTurn } from "../../support/long.ts";
import { noSoftwareGpu, softwareEnvironment } from "../../support/webgpu.ts";
import { runCliWith, writeProject } from "../project.ts";

const operators = {
  "src/gemm.op.ts": 'import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 16, N: 24, K: 32 });\n',
  "src/layer.op.ts": `import { withConstants } from "unplugin-kernel/op";
import { gemm } from "unplugin-kernel/ops";
export default withConstants(gemm({ M: 16, N: 24, K: 32, dtype: "f16" }), "B");\n`,
};

interface Row {
  readonly name: string;
  readonly isRight: boolean | null;
  readonly why: string | null;
  readonly times: object | null;
}

function benched(specifier: string, env: Readonly<Record<string, string>>, packages: readonly string[] = []) {
  const root = writeProject({
    ...operators,
    "src/main.ts": `import kernel from "${specifier}";\nconsole.log(kernel);\n`,
  });
  for (const name of packages) symlinkSync(packageFile(`node_modules/${name}`), join(root, "node_modules", name));
  const { exitCode, output, errors } = runCliWith(env, root, "bench", "--seconds", "0.2", "--json");
  const rows: readonly Row[] = JSON.parse(output || "{}").kernels?.[0]?.bench?.rows ?? [];
  return { exitCode, errors, rows };
}

const measured = { isRight: true, why: null, times: expect.any(Object) };

describe.skipIf(noSoftwareGpu)(`on SwiftShader${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`, () => {
  inTurn(2).each(["gemm", "layer"])("%s is measured with its arrays there, and with copies", (name) => {
    const { exitCode, errors, rows } = benched(`./${name}.op.ts?tune=webgpu`, softwareEnvironment);
    expect(exitCode, errors).toBe(0);
    expect(rows.slice(0, 2)).toEqual(
      ["webgpu", "webgpu, with copies"].map((it) => expect.objectContaining({ name: it, ...measured })),
    );
    expect(rows.map((row) => row.name)).toEqual(expect.arrayContaining(["wasm", "reference"]));
  });
});

test("without a GPU it is said why, and the twins are measured", () => {
  const { exitCode, rows } = benched("./gemm.op.ts?tune=webgpu", { UNPLUGIN_KERNEL_WEBGPU: "/nowhere" });
  expect(exitCode).toBe(0);
  expect(rows[0]).toMatchObject({ name: "webgpu", isRight: null, times: null });
  expect(rows[0]!.why).toMatch(/^there is no WebGPU for Node: install the package webgpu/);
  expect(rows.find(({ name }) => name === "wasm")).toMatchObject(measured);
});

describe.skipIf(noFakeGpu !== null)(`with a driver of CUDA${noFakeGpu ? ` (${noFakeGpu})` : ""}`, () => {
  inTurn(2).each(["gemm", "layer"])("%s is measured with its arrays there, and with copies", (name) => {
    const fake = makeFakeCuda();
    const env = { UNPLUGIN_KERNEL_CUDA: fake.driver, UNPLUGIN_KERNEL_NVRTC: fake.nvrtc };
    const { exitCode, errors, rows } = benched(`./${name}.op.ts?tune=cuda-sm80`, env, ["koffi"]);
    expect(exitCode, errors).toBe(0);
    expect(rows.slice(0, 2)).toEqual(
      ["cuda", "cuda, with copies"].map((it) => expect.objectContaining({ name: it, ...measured })),
    );
  });
});
