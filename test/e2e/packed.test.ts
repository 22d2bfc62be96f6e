// An operator with constant inputs through each bundler: a layer packed once, in an output folder that was moved.

import { expect, it } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import { predictSchedule } from "../../src/api/index.ts";
import { compileKernel } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import { buildApp, hosts, outputFiles, runMoved, writeApp } from "../support/build-app.ts";
import { suitesInTurn } from "../support/long.ts";

const sizes = [64, 128, 256, 512].map((size) => ({ M: size, N: size, K: size }));
/** The first whose predicted schedule lays B out: which it is changes with the tiles that are predicted. */
const size = sizes.find((parameters) => {
  const { assignment } = predictSchedule(gemm, { target: "wasm", parameters, constants: ["B"] });
  return assignment["C.pack.B"] === 1;
});
const operator = `import { withConstants } from "unplugin-kernel/op";
import { gemm } from "unplugin-kernel/ops";
export default withConstants(gemm(${JSON.stringify(size)}, { bias: true }), "B", "bias");
`;
// Small integers, so that every order of the sum gives the same bits; the loops beside the kernel are the check.
const main = `import gemm from "./gemm.op.ts?tune=wasm&sync=0";
  const { M, N, K } = gemm.info.parameters;
  const A = Float32Array.from({ length: M * K }, (_, i) => (i % 7) - 3);
  const B = Float32Array.from({ length: K * N }, (_, i) => (i % 5) - 2);
  const bias = new Float32Array(N).fill(2);
  const layer = gemm.pack({ B, bias });
  const wrongIn = (C) => C.filter((it, at) => {
    let sum = 2;
    for (let k = 0; k < K; k++) sum += A[Math.floor(at / N) * K + k] * B[k * N + (at % N)];
    return it !== sum;
  }).length;
  const results = [layer(A), await layer.async(A), gemm(A, B, bias)];
  console.log(JSON.stringify({ wrong: results.map(wrongIn), isLaidOut: /^transform-layout B /m.test(gemm.info.schedule) }));`;

suitesInTurn(4).each(hosts)("%s", (host) => {
  it("packs a layer once", async () => {
    const root = writeApp({ "src/main.js": main, "src/gemm.op.ts": operator });
    await buildApp(host, root, compileKernel, { mode: "predict", schedules: true, cacheDir: "store" });
    expect(outputFiles(root).filter((name) => name.endsWith(".wasm")).length).toBeGreaterThan(0);
    expect(runMoved(root)).toEqual({ wrong: [0, 0, 0], isLaidOut: true });
  });

  it("leaves nothing of a kernel that nobody uses", async () => {
    const root = writeApp({
      "src/main.js": `import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(JSON.stringify("alone"));`,
      "src/gemm.op.ts": operator,
    });
    await buildApp(host, root, compileKernel, { mode: "predict", cacheDir: "store" });
    expect(outputFiles(root)).toEqual(["main.mjs"]);
    expect(runMoved(root)).toBe("alone");
  });
});
