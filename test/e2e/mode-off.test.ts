// The whole line without tuning: a real operator file, through each bundler, to numbers.

import { describe, expect, it } from "vitest";
import { compileKernel } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import { buildApp, hosts, outputFiles, runMoved, writeApp } from "../support/build-app.ts";

const operator = `import { compute, defineOp, reduceAxis, sum, tensor } from "unplugin-kernel/op";
export default defineOp({ M: 512, N: 512, K: 512 }, ({ M, N, K }) => {
  const A = tensor("A", [M, K], "f32");
  const B = tensor("B", [K, N], "f32");
  const k = reduceAxis("k", K);
  return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
});
`;
const main = (query: string): string => `import gemm from "./gemm.op.ts?${query}";
  const A = Float32Array.of(1, 2, 3, 4, 5, 6);
  const B = Float32Array.of(1, 0, 0, 1, 1, 1);
  const { twin, parameters, schedule } = gemm.info;
  console.log(JSON.stringify({ C: [...gemm(A, B)], twin, parameters, schedule }));`;

describe.each(hosts)("%s, mode off", (host) => {
  it("runs the reference loops", async () => {
    const root = writeApp({ "src/main.js": main("M=2&N=2&K=3&tune=wasm"), "src/gemm.op.ts": operator });
    await buildApp(host, root, compileKernel, { mode: "off", schedules: true });
    expect(outputFiles(root)).toEqual(["main.mjs"]);
    expect(runMoved(root)).toEqual({
      C: [4, 5, 10, 11],
      twin: "reference",
      parameters: { M: 2, N: 2, K: 3 },
      schedule: "",
    });
  });

  it("tells a parameter that the operator does not have", async () => {
    const root = writeApp({ "src/main.js": main("thread=2&tune=wasm"), "src/gemm.op.ts": operator });
    await expect(
      buildApp(host, root, compileKernel, { mode: "off" }),
    ).rejects.toThrow(`request.unknown-key: src/gemm.op.ts has no parameter thread
  hint: its parameters are K, M, N; the other keys are fallback, seconds, sync, threads, trials, tune`);
  });

  it("tells a mistake in the operator at its line", async () => {
    const wrong = operator.replace("B(k, j)", "B(k, j, 0)");
    const root = writeApp({ "src/main.js": main("tune=wasm"), "src/gemm.op.ts": wrong });
    await expect(buildApp(host, root, compileKernel, { mode: "off" })).rejects.toThrow(
      /expr\.shape-mismatch: B is read with 3 indices, it has 2 dimensions\n {2}src\/gemm\.op\.ts:6:57/,
    );
  });
});
