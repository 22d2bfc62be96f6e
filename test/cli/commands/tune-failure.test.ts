// `tune` over seven kernels of which one fails by a bug of ours: the others are in lock and store, and the command says which failed.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inTurn } from "../../support/long.ts";
import { sabotageText } from "../../support/sabotage.ts";
import { gemm, runCli, writeProject } from "../project.ts";

const turn = inTurn(2);

const sizes = [8, 9, 10, 11, 12, 14];
const others = sizes.map((M) => `src/gemm.op.ts?M=${M}&tune=wasm`).sort();

const project = (): string =>
  writeProject({
    "src/gemm.op.ts": gemm,
    "src/bad.op.ts": sabotageText,
    "src/main.ts": [
      ...sizes.slice(0, 3).map((M) => `import "./gemm.op.ts?M=${M}&tune=wasm";`),
      'import "./bad.op.ts?tune=wasm";',
      ...sizes.slice(3).map((M) => `import "./gemm.op.ts?M=${M}&tune=wasm";`),
    ].join("\n"),
  });

const lockedIn = (root: string): readonly string[] =>
  Object.keys(JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8")).kernels).sort();

describe("tune of seven kernels of which one fails", () => {
  turn.each([
    ["each with its own budget", []],
    ["within a total", ["--total", "600"]],
  ])("%s: decides the six others, names the seventh and why, and ends with 1", (_, args) => {
    const root = project();
    const { exitCode, output, errors } = runCli(root, "tune", "--trials", "4", ...args);
    expect([exitCode, output]).toEqual([1, ""]);
    expect(errors).toMatch(
      /1 of 7 kernels failed:\nsrc\/bad\.op\.ts\?tune=wasm\n {2}kernel\.bug: src\/bad\.op\.ts\?tune=wasm: planted; that is a bug of unplugin-kernel: please report it\n {4}at /,
    );
    expect(lockedIn(root)).toEqual(others);
    const again = JSON.parse(runCli(root, "tune", "--json", "--trials", "4", ...args).output).kernels;
    expect(again.map(({ origin }: { origin: string }) => origin).sort()).toEqual(["failed", ...Array(6).fill("lock")]);
  });
});

test("a lock that cannot be read fails all kernels, and is said once", () => {
  const root = project();
  writeFileSync(join(root, "kernels.lock.json"), "<<<<<<< ours\n");
  const { exitCode, errors } = runCli(root, "tune", "--trials", "4");
  expect([exitCode, errors.match(/lock\.broken/g)?.length]).toEqual([1, 1]);
  for (const kernel of others) expect(errors).toContain(`\n${kernel}\n`);
});
