import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limitsFiles, limitsSchema, type StoredLimits } from "../../../src/tuner/record/limits-file.ts";

const stored: StoredLimits = {
  schema: limitsSchema,
  targetClass: "avx2 avx2+fma 32B",
  toolchain: "gcc 12.2.0",
  gflops: 118.5,
  reading: 21.25,
};

test("limits are kept by machine class and toolchain", () => {
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
  for (const bad of ["{", text.replace("118.5", "-1"), text.replace("}", ',"more":1}'), text.replace("12.2.0", "9")]) {
    writeFileSync(join(directory, name), bad);
    expect(limitsFiles.read(directory, stored)).toBeNull();
  }
});
