// The accelerator through the plugin: an import of a library's operator is tuned by cycles, locked, built and bound, and built again from
// the lock alone.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
import { expect, vi } from "vitest";
import { type ComputeDef, instantiate, type Op, opLibrary } from "../../src/compiler/index.ts";
import type { Mode } from "../../src/plugin/options/types.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { runMoved, writeApp } from "../support/build-app.ts";
import { kernelPlugin } from "../support/kernel-plugin.ts";
import { inTurn } from "../support/long.ts";
import { referenceOf } from "../support/reference.ts";

const turn = inTurn(2);

const { conv2d, gemm } = opLibrary;

interface Case {
  readonly op: Op;
  /** The operator file. */
  readonly text: string;
}

const cases: Readonly<Record<string, Case>> = {
  gemm: {
    op: gemm({ M: 48, N: 64, K: 64, dtype: "i8" }, { bias: true, activation: "relu" }),
    text: `import { gemm } from "unplugin-kernel/ops";
      export default gemm({ M: 48, N: 64, K: 64, dtype: "i8" }, { bias: true, activation: "relu" });`,
  },
  conv2d: {
    op: conv2d({ H: 8, W: 8, C: 16, F: 32, padding: 1, dtype: "i8" }),
    text: `import { conv2d } from "unplugin-kernel/ops";
      export default conv2d({ H: 8, W: 8, C: 16, F: 32, padding: 1, dtype: "i8" });`,
  },
};

/** Prints results on the inputs, on the event loop and off it, and who answered. */
const mainText = (inputs: readonly ArrayLike<number>[], types: readonly string[]): string => `
import kernel from "./product.op.ts?tune=vta&trials=6";
const inputs = ${JSON.stringify(inputs.map((input) => [...Array.from(input)]))};
const arrays = ${JSON.stringify(types)}.map((type, at) => new globalThis[type](inputs[at]));
const results = [...kernel(...arrays)];
const late = [...(await kernel.async(...arrays))];
console.log(JSON.stringify({ results, late, twin: kernel.info.twin, reason: kernel.info.twinReason }));`;

interface Built {
  readonly measured: string | undefined;
  readonly code: string;
  readonly answer: {
    readonly results: number[];
    readonly late: number[];
    readonly twin: string;
    readonly reason: null;
  };
}

async function build(root: string, mode: Mode): Promise<Built> {
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const bundle = await rollup({
    input: join(root, "src/main.js"),
    plugins: [
      kernelPlugin.rollup({ root, mode, backends: [fileURLToPath(new URL("support/use-vta.ts", import.meta.url))] }),
    ],
  });
  await bundle.write({ dir: join(root, "out"), format: "es", entryFileNames: "main.mjs" });
  await bundle.close();
  const lines = said.mock.calls.map(([line]) => String(line));
  said.mockRestore();
  const code = readFileSync(join(root, "out/main.mjs"), "utf8");
  return { measured: lines.find((line) => / measured, /.test(line)), code, answer: runMoved(root) as Built["answer"] };
}

turn.each(Object.entries(cases))("%s", async (_, { op, text }) => {
  const def: ComputeDef = instantiate(op, {}, "kernel");
  const { inputs, expected } = referenceOf(def, createRng(1));
  const types = inputs.map((input) => input.constructor.name);
  const root = writeApp({
    "src/main.js": mainText(inputs as readonly ArrayLike<number>[], types),
    "src/product.op.ts": text,
  });
  const right = [...Array.from(expected[0]!.values)];
  const wanted = { results: right, late: right, twin: "vta", reason: null };

  const first = await build(root, "tune");
  expect(first.answer).toEqual(wanted);
  expect(first.measured).toMatch(/1 kernel tuned, [1-9]\d* measured, 0 compiler runs/);
  const lock = JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8"));
  expect(Object.values(lock.kernels)).toEqual([
    expect.objectContaining({ target: expect.objectContaining({ kind: "accelerator", name: "vta" }) }),
  ]);

  rmSync(join(root, "node_modules"), { recursive: true, force: true });
  const again = await build(root, "frozen");
  expect(again.measured).toMatch(/1 kernel from kernels\.lock\.json, 0 measured, 0 compiler runs/);
  expect(again.answer).toEqual(wanted);
  expect(again.code).toBe(first.code);
});
