import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limitsFiles, limitsSchema } from "../../../src/tuner/record/limits-file.ts";
import { recordedLimits } from "../../support/recorded-limits.ts";

const stored = {
  schema: limitsSchema,
  targetClass: "avx2 avx2+fma 32B on AMD EPYC (family 25, model 17)",
  toolchain: "gcc 12.2.0",
  ...recordedLimits("avx2"),
} as const;

test("limits are kept by machine and toolchain", () => {
  const directory = mkdtempSync(join(tmpdir(), "limits-"));
  expect(limitsFiles.read(directory, stored)).toBeNull();
  limitsFiles.write(directory, stored);
  expect(limitsFiles.read(directory, stored)).toEqual(stored);
  expect(limitsFiles.read(directory, { ...stored, toolchain: "gcc 13.1.0" })).toBeNull();
  expect(limitsFiles.read(directory, { ...stored, targetClass: "wasm" })).toBeNull();
});

test("a file that is not exactly limits is not trusted", () => {
  const directory = mkdtempSync(join(tmpdir(), "limits-"));
  limitsFiles.write(directory, stored);
  const [name = ""] = readdirSync(directory);
  const text = readFileSync(join(directory, name), "utf8");
  const rate = `"f32.any": ${stored.rates["f32.any"]}`;
  expect(text).toContain(rate);
  for (const bad of [
    "{",
    text.replace(rate, '"f32.any": -1'),
    text.replace(rate, '"f32.some": 1'),
    text.replace("}", ',"more":1}'),
    text.replace("12.2.0", "9"),
  ]) {
    writeFileSync(join(directory, name), bad);
    expect(limitsFiles.read(directory, stored)).toBeNull();
  }
});
