// WASM modules as text in code: every byte comes back, no letter means anything to what carries it, and it is shorter than base64.

import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  generateKernel,
  instantiate,
  instantiateTemplate,
  opLibrary,
  targets,
  type WasmSource,
} from "../../../src/compiler/index.ts";
import { moduleInCode, moduleOf, moduleText } from "../../../src/plugin/runtime/module-text.ts";
import { compileModel } from "../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../src/tuner/constraint/solver/sample.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";

const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);

test("every byte comes back, beside every other", () => {
  const pairs = Uint8Array.from(
    Array.from(all).flatMap((first) => Array.from(all).flatMap((second) => [first, second])),
  );
  expect(Buffer.from(moduleOf(moduleText(pairs))).equals(pairs)).toBe(true);
  expect(moduleOf("")).toHaveLength(0);
});

test("a text stands in any string, template, script of a page and JSON as it is", () => {
  const text = moduleText(all);
  expect(text).toMatch(/^[#-~]+$/);
  for (const letter of "$'\"<\\`") expect(text).not.toContain(letter);
  expect(JSON.stringify(text)).toBe(`"${text}"`);
});

test("a module has a beginning of its own, which `verify --output` looks for", () => {
  const module = moduleText(Buffer.from("\0asm\x01\0\0\0"));
  expect([...`{text:"${module}"}`.matchAll(moduleInCode)].map(([, text]) => text)).toEqual([module]);
});

describe("a module of a kernel", () => {
  const op = instantiate(opLibrary.gemm({ M: 64, N: 64, K: 64 }), {}, "gemm");
  const { templates } = generateSpace({ op, target: targets.wasm, numerics: "fast", threads: 1 });
  const { model, instructions } = templates[0]!;
  const point = sample(compileModel(model), createRng(1));
  if (point.kind !== "found") throw new Error(point.kind);
  const kernel = generateKernel(op, instantiateTemplate(instructions, point.assignment), targets.wasm, {
    numerics: "fast",
    verify: false,
  });
  if (kernel.kind !== "ok") throw new Error("no module");
  const { bytes } = kernel.source as WasmSource;
  const base64 = Buffer.from(bytes).toString("base64");

  test("is shorter than base64, and far shorter when it is compressed", () => {
    expect(moduleText(bytes).length).toBeLessThan(0.9 * base64.length);
    const gzip = (text: string): number => gzipSync(text).length;
    expect(gzip(moduleText(bytes))).toBeLessThan(0.85 * gzip(base64));
  });
});
