import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { machineModels } from "../../../src/tuner/prior/machine-model.ts";
import { calibrationFiles, type StoredCalibration } from "../../../src/tuner/record/calibration-file.ts";

const directory = mkdtempSync(join(tmpdir(), "calibration-"));
afterAll(() => rmSync(directory, { recursive: true }));

const stored: StoredCalibration = {
  schema: 1,
  targetClass: "avx2 avx2+fma",
  toolchain: "gcc 12.2.0",
  samples: 88,
  machine: { ...machineModels.c, l2BytesPerCycle: 21.5 },
};

test("a calibration is found again by machine and toolchain, and by no others", () => {
  expect(calibrationFiles.read(directory, stored)).toBeNull();
  calibrationFiles.write(directory, stored);
  expect(calibrationFiles.read(directory, stored)).toEqual(stored);
  expect(calibrationFiles.read(directory, { ...stored, toolchain: "gcc 13.1.0" })).toBeNull();
  expect(calibrationFiles.read(directory, { ...stored, targetClass: "wasm" })).toBeNull();
});

test("one that was edited is not trusted", () => {
  const [file = ""] = readdirSync(directory);
  for (const text of ["", "{", JSON.stringify({ ...stored, machine: { ...stored.machine, clockGhz: 0 } })]) {
    writeFileSync(join(directory, file), text);
    expect(calibrationFiles.read(directory, stored)).toBeNull();
  }
});
