// `tune --again` and `--compare`: more of a search that has had its decision.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { inTurn } from "../../support/long.ts";
import { gemm, runCli, writeProject } from "../project.ts";

const turn = inTurn(3);

const files = {
  "src/gemm.op.ts": gemm,
  "src/main.ts": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n',
};
const quickly = ["--seconds", "600", "--trials", "8"];

interface Tuned {
  readonly origin: string;
  readonly measured: number;
}

function tuned(root: string, ...args: readonly string[]): Tuned {
  const { output, exitCode } = runCli(root, "tune", "--json", ...quickly, ...args);
  expect(exitCode).toBe(0);
  return JSON.parse(output).kernels[0];
}

const candidatesIn = (root: string): readonly string[] =>
  readFileSync(join(root, "node_modules/.cache/unplugin-kernel/records.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.stringify(JSON.parse(line).candidate));

const medianNs = (root: string): number =>
  Object.values<{ measured: { medianNs: number } }>(
    JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8")).kernels,
  )[0]!.measured.medianNs;

describe("tune --again", () => {
  turn("measures candidates that were not measured, and writes the lock anew", () => {
    const root = writeProject(files);
    expect(tuned(root)).toMatchObject({ origin: "tuned", measured: 8 });
    expect(tuned(root)).toMatchObject({ origin: "lock", measured: 0 });
    const lockfile = join(root, "kernels.lock.json");
    const slow = readFileSync(lockfile, "utf8").replace(/("medianNs": )[\d.]+/, "$1123456789");
    writeFileSync(lockfile, slow);
    expect(medianNs(root)).toBe(123456789);
    expect(tuned(root, "--again")).toMatchObject({ origin: "tuned", measured: 8 });
    expect(medianNs(root)).toBeLessThan(1e6);
    const candidates = candidatesIn(root);
    expect([candidates.length, new Set(candidates).size]).toEqual([16, 16]);
  });

  turn("works where nothing was tuned", () => {
    expect(tuned(writeProject(files), "--again")).toMatchObject({ origin: "tuned", measured: 8 });
  });
});

describe("tune --compare", () => {
  turn("searches from nothing with each, then as usual with all that was measured; the report has all of them", () => {
    const root = writeProject(files);
    tuned(root);
    expect(tuned(root, "--compare", "random,evolutionary")).toMatchObject({ origin: "tuned", measured: 8 });
    const [kernel] = JSON.parse(runCli(root, "report", "--json").output).kernels;
    const tunings = kernel.tunings.map(({ strategy, measured }: { strategy: string; measured: number }) => [
      strategy,
      measured,
    ]);
    expect(tunings).toEqual([
      ["default", 8],
      ["random", 8],
      ["evolutionary", 8],
      ["default", 8],
    ]);
    expect(kernel.measured.medianNs).toBe(medianNs(root));
  });

  turn("names the strategies that there are", () => {
    const { exitCode, errors } = runCli(writeProject(files), "tune", "--compare", "random,luck");
    expect(exitCode).toBe(2);
    expect(errors).toContain('--compare has "luck"');
    expect(errors).toContain("wanted: some of default,random,exhaustive");
  });
});
