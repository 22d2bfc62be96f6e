// Programs that use NVIDIA GPUs themselves, on a driver for tests: chains that stay on the GPU, streams, several GPUs, layers with constants,
// mistakes, and a GPU that is lost in the middle.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import { beforeAll, describe, expect, vi } from "vitest";
import { cudaApp, type FakeCuda, makeFakeCuda, noFakeGpu, runProgram } from "../support/cuda.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(7);

const without = noFakeGpu ? ` (${noFakeGpu})` : "";
let fake: FakeCuda;
beforeAll(() => {
  if (noFakeGpu === null) fake = makeFakeCuda();
});

const library = `import { gemm, softmax, withConstants } from "./library.ts";`;

const files = {
  "src/library.ts": `export { gemm, softmax } from "unplugin-kernel/ops"; export { withConstants } from "unplugin-kernel/op";`,
  "src/gemm.op.ts": `${library} export default gemm({ M: 32, N: 40, K: 48 });`,
  "src/rows.op.ts": `${library} export default softmax({ M: 32, N: 40 });`,
  "src/layer.op.ts": `${library} export default withConstants(gemm({ M: 32, N: 40, K: 48 }), "B");`,
};

const head = `
import gemm from "./gemm.op.ts?tune=cuda-sm90";
import rows from "./rows.op.ts?tune=cuda-sm90";
const floats = (length, salt) => Float32Array.from({ length }, (_, at) => (((at * 7 + salt) % 11) - 5) / 8);
const [A, B] = [floats(32 * 48, 1), floats(48 * 40, 2)];
const apart = (a, b) => a.reduce((most, value, at) => Math.max(most, Math.abs(value - b[at])), 0);
const wanted = rows(gemm(A, B));
const device = gemm.device;
`;

/** Builds a program and runs it. @param script after \`head\`; it makes \`told\`, which is printed */
async function run(script: string, env: Record<string, string> = {}): Promise<{ told: unknown; log: string[] }> {
  const root = cudaApp({
    ...files,
    "src/main.js": `${head}${script}\nconsole.log(JSON.stringify(told));\nprocess.exit();`,
  });
  const [file, log] = [join(root, "out/main.mjs"), join(root, "log")];
  vi.stubEnv("UNPLUGIN_KERNEL_NVRTC", fake.nvrtc);
  try {
    const plugins = [kernelPlugin.esbuild({ root, mode: "predict", logLevel: "silent" })];
    const entryPoints = [join(root, "src/main.js")];
    await esbuild({ entryPoints, outfile: file, bundle: true, format: "esm", platform: "node", plugins });
  } finally {
    vi.unstubAllEnvs();
  }
  const told = await runProgram(file, { UNPLUGIN_KERNEL_CUDA: fake.driver, FAKE_CUDA_LOG: log, ...env });
  return { told, log: existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [] };
}

const count = (log: readonly string[], line: string): number => log.filter((it) => it === line).length;

describe.skipIf(noFakeGpu !== null)(`a program${without}`, () => {
  turn("runs chains that stay on the GPU: what is copied is inputs and the result", async () => {
    const { told, log } = await run(`
const [product, soft] = await Promise.all([gemm.on(device), rows.on(device)]);
const [a, b, c, y] = [product.buffer("A", A), product.buffer("B", B), product.buffer("C"), soft.buffer("Y")];
const stream = device.stream();
for (let round = 0; round < 3; round++) {
  product.encode(stream, a, b, c);
  soft.encode(stream, c, y);
}
await stream.wait();
stream.destroy();
const told = { apart: apart(await soft.read("Y", y), wanted), same: gemm.device === rows.device, name: device.name };
product.run(a, b, c);
told.product = apart(await product.read("C", c), gemm(A, B));
for (const it of [a, b, c, y, product, soft]) it.free ? it.free() : it.destroy();
await device.wait();`);
    expect(told).toEqual({
      apart: expect.closeTo(0, 5),
      product: expect.closeTo(0, 5),
      same: true,
      name: "Fake GPU 0",
    });
    expect(count(log, "upload 0")).toBe(2);
    expect(count(log, "download 0")).toBe(2);
    expect(count(log, "launch 0")).toBeGreaterThanOrEqual(7);
    expect(count(log, "alloc 0")).toBe(count(log, "free 0"));
  });

  turn("has memory of its own there", async () => {
    const { told } = await run(`
const memory = device.alloc(64);
device.upload(memory, new Uint8Array([1, 2, 3]));
const told = [...(await device.download(memory, new Uint8Array(3)))];
memory.free();
memory.free();`);
    expect(told).toEqual([1, 2, 3]);
  });

  turn("loses no memory of buffers and kernels that it holds no more", async () => {
    const { told, log } = await run(`
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
await device.ready();
const use = async () => {
  for (let at = 0; at < 20; at++) device.alloc(1 << 20);
  await gemm.on(device);
  const product = await gemm.on(device);
  product.buffer("A", A);
};
await use();
for (let turn = 0; turn < 20; turn++) {
  collect();
  await new Promise((resolve) => setTimeout(resolve, 10));
}
const told = true;`);
    expect(told).toBe(true);
    expect(count(log, "alloc 0")).toBeGreaterThan(20);
    expect(count(log, "free 0")).toBe(count(log, "alloc 0"));
  });

  turn("has several GPUs by their numbers", async () => {
    const { told, log } = await run(
      `
const other = device.at(1);
const product = await gemm.on(1);
const [a, b, c] = [product.buffer("A", A), product.buffer("B", B), product.buffer("C")];
product.run(a, b, c);
const told = { apart: apart(await product.read("C", c), gemm(A, B)), names: [other.name, device.name], same: product.device === other };
const first = await gemm.on();
const told2 = [];
try { first.run(a, b, c); } catch ({ message }) { told2.push(message); }
try { device.upload(a, A); } catch ({ message }) { told2.push(message); }
try { first.encode(other.stream(), a, b, c); } catch ({ message }) { told2.push(message); }
await gemm.on(7).catch(({ message }) => told2.push(message));
told.refused = told2;`,
      { FAKE_CUDA_DEVICES: "2" },
    );
    expect(told).toEqual({
      ...{ apart: expect.closeTo(0, 5), names: ["Fake GPU 1", null], same: true },
      refused: [
        "gemm: A must be memory of GPU 0, of at least 6144 bytes; it is on GPU 1",
        "the buffer is on GPU 1, and not on 0",
        "a stream of GPU 0 is wanted: device.stream() makes one",
        "there is no GPU 7: the CUDA driver has 2",
      ],
    });
    expect(count(log, "launch 1")).toBe(1);
    expect(count(log, "launch 0")).toBe(0);
  });

  turn("packs constants once, for calls and for chains", async () => {
    const { told, log } = await run(`
import layer from "./layer.op.ts?tune=cuda-sm90";
const packed = layer.pack({ B });
await layer.ready();
const told = { calls: [] };
for (let call = 0; call < 3; call++) told.calls.push(apart(await packed.async(A), gemm(A, B)));
told.whole = apart(await layer.async(A, B), gemm(A, B));
told.adapter = layer.info.gpu.adapter;
const on = await packed.on(device);
const [a, c] = [on.buffer("A", A), on.buffer("C")];
on.run(a, c);
told.on = apart(await on.read("C", c), gemm(A, B));
told.same = packed.device === device;`);
    const zero = expect.closeTo(0, 5);
    expect(told).toEqual({
      ...{ calls: [zero, zero, zero], whole: zero, on: zero, same: true },
      adapter: "Fake GPU 0",
    });
    expect(count(log, "launch 0")).toBeGreaterThan(4);
  });

  turn("packs constants that the GPU has no memory for, and the twin answers", async () => {
    const { told } = await run(
      `
import layer from "./layer.op.ts?tune=cuda-sm90";
const early = layer.pack({ B });
await layer.ready();
const told = { apart: [] };
for (let call = 0; call < 5; call++) told.apart.push(apart(await early.async(A), gemm(A, B)));
const late = layer.pack({ B });
told.apart.push(apart(await late.async(A), gemm(A, B)));
told.reason = layer.info.gpu.reason;
told.refused = await early.on(device).catch(({ message }) => message);`,
      { FAKE_CUDA_MEMORY: "15000" },
    );
    const noMemory = "Fake GPU 0 has no memory for 7680 bytes: cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY";
    expect(told).toEqual({
      ...{ apart: Array.from({ length: 6 }, () => expect.closeTo(0, 5)), refused: noMemory },
      // Kernels that were opened before may still have their memory.
      reason: expect.stringMatching(/Fake GPU 0 has no memory for \d+ bytes: cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY$/),
    });
  });

  turn("is told of its mistakes", async () => {
    const { told } = await run(`
const product = await gemm.on(device);
const [a, b, c] = [product.buffer("A", A), product.buffer("B", B), product.buffer("C")];
const told = [];
const failing = [
  () => product.run(a, b),
  () => product.run(a, b, device.alloc(8)),
  () => product.run(a, b, C => C),
  () => product.buffer("D"),
  () => product.buffer("A", new Float32Array(3)),
  () => device.alloc(-1),
  () => device.upload(device.alloc(1), A),
  () => { a.free(); product.run(a, b, c); },
  () => { product.destroy(); product.destroy(); product.run(a, b, c); },
  () => product.encode(undefined, a, b, c),
];
for (const fail of failing) try { fail(); } catch (error) { told.push(error.name + ": " + error.message); }
await gemm.on("first").catch((error) => told.push(error.name + ": " + error.message));`);
    expect(told).toEqual([
      "TypeError: gemm takes buffers of A, B, C; got 2",
      "RangeError: gemm: C must be memory of GPU 0, of at least 5120 bytes; it has 8",
      "TypeError: gemm: C must be memory of GPU 0, of at least 5120 bytes",
      "TypeError: gemm has no tensor D: A, B, C",
      "RangeError: gemm: A must be a Float32Array of 1536 elements, f32[32, 48]; got 3 elements",
      "RangeError: alloc takes a whole number of bytes; got -1",
      "RangeError: the array has 6144 bytes, and the buffer 1",
      "RangeError: gemm: A must be memory of GPU 0, of at least 6144 bytes; it has 0",
      "Error: gemm was destroyed on GPU 0",
      "TypeError: a stream of GPU 0 is wanted: device.stream() makes one",
      "TypeError: gemm.on takes the device of a kernel, or the number of a GPU",
    ]);
  });

  turn("makes calls beside each other, and chains, on a GPU that is behind with its work", async () => {
    const { told } = await run(
      `
await gemm.ready();
await gemm.async(A, B);
await gemm.async(A, B);
const inputs = Array.from({ length: 12 }, (_, salt) => [floats(32 * 48, salt), floats(48 * 40, salt + 5)]);
const wantedOf = inputs.map(([a, b]) => gemm(a, b));
const answers = await Promise.all(inputs.map(async ([a, b], at) => {
  const answer = gemm.async(a, b);
  // The arrays are the caller's again.
  a.fill(Number.NaN);
  return apart(await answer, wantedOf[at]);
}));
const product = await gemm.on(device);
const soft = await rows.on(device);
const streams = [device.stream(), device.stream()];
const chains = await Promise.all(inputs.map(async (_, salt) => {
  const [first, second] = [floats(32 * 48, salt), floats(48 * 40, salt + 5)];
  const [a, b, c, y] = [product.buffer("A", first), product.buffer("B", second), product.buffer("C"), soft.buffer("Y")];
  first.fill(Number.NaN);
  product.encode(streams[salt % 2], a, b, c);
  soft.encode(streams[salt % 2], c, y);
  const result = await soft.read("Y", y);
  for (const it of [a, b, c, y]) it.free();
  return apart(result, rows(wantedOf[salt]));
}));
const told = { calls: Math.max(...answers), chains: Math.max(...chains), adapter: gemm.info.gpu.adapter };`,
      { FAKE_CUDA_LATE: "1" },
    );
    expect(told).toEqual({ calls: expect.closeTo(0, 5), chains: expect.closeTo(0, 5), adapter: "Fake GPU 0" });
  });

  turn("goes on with its other work while the GPU computes", async () => {
    const { told } = await run(
      `
let turns = 0;
const timer = setInterval(() => turns++, 5);
const product = await gemm.on(device);
const [a, b, c] = [product.buffer("A", A), product.buffer("B", B), product.buffer("C")];
turns = 0;
product.run(a, b, c);
await product.read("C", c);
clearInterval(timer);
const told = turns;`,
      { FAKE_CUDA_SLOW_MS: "250" },
    );
    expect(told).toBeGreaterThan(10);
  });

  turn("goes on with its other work while the driver compiles", async () => {
    const { told } = await run(
      `
let turns = 0;
const timer = setInterval(() => turns++, 5);
await Promise.all([gemm.ready(), rows.ready()]);
clearInterval(timer);
const told = { turns, reason: gemm.info.gpu.reason };`,
      { FAKE_CUDA_LOAD_MS: "400" },
    );
    expect(told).toEqual({ turns: expect.any(Number), reason: "the next call off the event loop tries it" });
    expect((told as { turns: number }).turns).toBeGreaterThan(10);
  });

  turn("is told of a GPU that one kernel has lost, and all twins answer", async () => {
    const { told } = await run(
      `
await Promise.all([gemm.ready(), rows.ready()]);
const X = gemm(A, B);
const told = { before: [] };
for (let call = 0; call < 2; call++) await Promise.all([gemm.async(A, B), rows.async(X)]);
told.before = [gemm.info.gpu.adapter, rows.info.gpu.adapter];
const product = await gemm.on(device);
const buffers = [product.buffer("A", A), product.buffer("B", B), product.buffer("C")];
told.failure = null;
for (let call = 0; call < 40 && !told.failure; call++) {
  try { product.run(...buffers); await device.wait(); } catch ({ message }) { told.failure = message; }
}
told.after = [gemm.info.gpu.adapter, rows.info.gpu.adapter];
told.reasons = [gemm.info.gpu.reason, rows.info.gpu.reason];
told.apart = [apart(await gemm.async(A, B), X), apart(await rows.async(X), wanted), apart(await gemm.async(A, B), X)];
told.refused = await rows.on(device).catch(({ message }) => message);
try { device.alloc(8); } catch ({ message }) { told.alloc = message; }`,
      { FAKE_CUDA_FAIL_LAUNCH: "40" },
    );
    const lost = expect.stringMatching(
      /^Fake GPU 0 is lost to this process, which has to be started again: cu\w+: CUDA_ERROR_ILLEGAL_ADDRESS$/,
    );
    const zero = expect.closeTo(0, 5);
    expect(told).toEqual({
      ...{ before: ["Fake GPU 0", "Fake GPU 0"], after: [null, null], reasons: [lost, lost] },
      ...{ failure: expect.stringMatching(/CUDA_ERROR_ILLEGAL_ADDRESS$/), apart: [zero, zero, zero] },
      ...{ refused: lost, alloc: lost },
    });
  });
});
