// Texts for WebGPU that a build does not run are compiled by the project's Dawn: what it refuses is the twin's, with its words, and what it has taken
// is not looked at again.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import { afterEach, describe, expect, vi } from "vitest";
import { runMoved, writeApp } from "../support/build-app.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";
import { noDawn } from "../support/webgpu.ts";

const turn = inTurn(4);

const main = (query: string): string => `import gemm from "./gemm.op.ts?tune=webgpu${query}";
const [A, B] = [new Float32Array(64).fill(1), new Float32Array(64).fill(2)];
console.log(JSON.stringify({ first: gemm(A, B)[0], twinReason: gemm.info.twinReason ?? "" }));
process.exit();`;

const app = (query = ""): string =>
  writeApp({
    "src/main.js": main(query),
    "src/gemm.op.ts": `import { gemm } from "unplugin-kernel/ops"; export default gemm({ M: 8, N: 8, K: 8 });`,
  });

/** A package that takes for Dawn's: it has no adapter with a GPU behind it, and notes each text in a file. @param refusal of every text */
function otherDawn(root: string, refusal: object | null): string {
  const folder = join(root, "node_modules/webgpu");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "package.json"),
    '{ "name": "webgpu", "version": "1.2.3", "type": "module", "main": "index.js" }',
  );
  writeFileSync(
    join(folder, "index.js"),
    `import { appendFileSync } from "node:fs";
export const globals = {};
const messages = ${JSON.stringify(refusal ? [{ type: "error", ...refusal }] : [])};
const device = {
  lost: new Promise(() => {}),
  pushErrorScope() {},
  popErrorScope: async () => null,
  createShaderModule({ code }) {
    appendFileSync(${JSON.stringify(join(root, "texts"))}, code + "\\n\\0");
    return { getCompilationInfo: async () => ({ messages }) };
  },
  createComputePipelineAsync: async () => ({}),
};
const adapter = { info: {}, features: new Set(), limits: {}, requestDevice: async () => device };
export const create = (options) => ({ requestAdapter: async () => (options.includes("backend=null") ? adapter : null) });`,
  );
  return folder;
}

const textsIn = (root: string): number =>
  existsSync(join(root, "texts")) ? readFileSync(join(root, "texts"), "utf8").split("\0").length - 1 : 0;

async function build(root: string, mode: "predict" | "frozen" | "tune" = "predict"): Promise<string> {
  const said = [vi.spyOn(console, "error"), vi.spyOn(console, "warn")];
  for (const spy of said) spy.mockImplementation(() => undefined);
  const plugins = [kernelPlugin.esbuild({ root, mode })];
  const outfile = join(root, "out/main.mjs");
  const entryPoints = [join(root, "src/main.js")];
  try {
    await esbuild({ entryPoints, outfile, bundle: true, format: "esm", platform: "node", logLevel: "silent", plugins });
    return said.flatMap(({ mock }) => mock.calls.map(([line]) => String(line))).join("\n");
  } finally {
    for (const spy of said) spy.mockRestore();
  }
}

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The twin is plain WASM on Node 20. */
const notRefused = expect.not.stringContaining("refused");
const refusal = { lineNum: 2, linePos: 7, message: "no such thing" };

describe.each(["predict", "frozen", "tune"] as const)("mode %s", (mode) => {
  turn("a text that is refused is the twin's, with the words of the compiler", async () => {
    const root = app();
    vi.stubEnv("UNPLUGIN_KERNEL_WEBGPU", otherDawn(root, refusal));
    const said = await build(root, mode);
    expect(said).toMatch(/gemm\.op\.ts\?tune=webgpu: Dawn refuses its WGSL: line 2, column 7: no such thing/);
    expect(said).toContain("the WASM twin runs instead (that is a bug of unplugin-kernel: please report it)");
    const why = "the build made no code for webgpu: Dawn refused it";
    expect(runMoved(root)).toEqual({ first: 16, twinReason: expect.stringContaining(why) });
  });

  turn("one that is taken is not compiled again", async () => {
    const root = app();
    vi.stubEnv("UNPLUGIN_KERNEL_WEBGPU", otherDawn(root, null));
    expect(await build(root, mode)).not.toContain("Dawn");
    expect(textsIn(root)).toBe(1);
    await build(root, mode);
    expect(textsIn(root)).toBe(1);
    expect(runMoved(root)).toEqual({ first: 16, twinReason: notRefused });
  });
});

turn("without a twin a refusal ends the build", async () => {
  const root = app("&fallback=none");
  vi.stubEnv("UNPLUGIN_KERNEL_WEBGPU", otherDawn(root, refusal));
  await expect(build(root)).rejects.toThrow(/Dawn refuses its WGSL: line 2, column 7: no such thing/);
});

turn("a Dawn that crashes costs nothing but its word", async () => {
  const root = app();
  const folder = otherDawn(root, null);
  writeFileSync(join(folder, "index.js"), "process.abort();");
  vi.stubEnv("UNPLUGIN_KERNEL_WEBGPU", folder);
  expect(await build(root)).not.toContain("Dawn");
  expect(runMoved(root)).toEqual({ first: 16, twinReason: notRefused });
});

turn.skipIf(noDawn !== null)(`Dawn itself takes what builds make${noDawn ? ` (${noDawn})` : ""}`, async () => {
  const root = app();
  expect(await build(root)).not.toContain("Dawn");
  expect(runMoved(root)).toEqual({ first: 16, twinReason: notRefused });
});
