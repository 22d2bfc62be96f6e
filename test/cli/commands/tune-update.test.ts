// `tune --update`: measured anew, from nothing; what nothing imports any more leaves the lock. `--offline`: no store of others is asked.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inTurn, suitesInTurn } from "../../support/long.ts";
import { gemm, runCli, writeProject } from "../project.ts";

const turn = inTurn(2);

const files = {
  "src/gemm.op.ts": gemm,
  "src/other.op.ts": gemm,
  "src/main.ts":
    'import gemm from "./gemm.op.ts?tune=wasm";\nimport small from "./gemm.op.ts?M=8&tune=wasm";\nimport other from "./other.op.ts?tune=wasm";\nconsole.log(gemm, small, other);\n',
};
const [whole, small, other] = ["src/gemm.op.ts?tune=wasm", "src/gemm.op.ts?M=8&tune=wasm", "src/other.op.ts?tune=wasm"];

interface Tuned {
  readonly kernels: readonly { readonly kernel: string; readonly origin: string; readonly measured: number }[];
  readonly dropped?: readonly string[];
}

function tune(root: string, ...args: readonly string[]): Tuned {
  const { output, errors, exitCode } = runCli(root, "tune", "--json", "--trials", "4", ...args);
  expect([exitCode, errors]).toEqual([0, expect.any(String)]);
  return JSON.parse(output);
}

const lockOf = (root: string) => JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8")).kernels;
const origins = ({ kernels }: Tuned) => Object.fromEntries(kernels.map(({ kernel, origin }) => [kernel, origin]));
const recordsIn = (root: string): number =>
  readFileSync(join(root, "node_modules/.cache/unplugin-kernel/records.jsonl"), "utf8").trim().split("\n").length;

const suite = suitesInTurn(2);

suite("tune --update", () => {
  const root = writeProject(files);

  test("measures the kernels that are named anew, an import by its query, as if nothing had been measured", () => {
    tune(root);
    const before = recordsIn(root);
    expect(origins(tune(root))).toEqual({ [whole!]: "lock", [small!]: "lock", [other!]: "lock" });
    const { kernels, dropped } = tune(root, "--update", "src/gemm.op.ts?tune=wasm&M=8");
    expect(kernels).toEqual([expect.objectContaining({ kernel: small, origin: "tuned", measured: 4 })]);
    expect(dropped).toEqual([]);
    // The same four candidates are measured once more, where --again would have gone on to others.
    const records = readFileSync(join(root, "node_modules/.cache/unplugin-kernel/records.jsonl"), "utf8")
      .trim()
      .split("\n");
    expect(records.length - before).toBe(4);
    const candidates = records
      .map((line) => JSON.parse(line))
      .map(({ task, candidate }) => JSON.stringify({ task, candidate }));
    expect(candidates.slice(-4).every((one) => candidates.slice(0, -4).includes(one))).toBe(true);
  });

  test("drops entries that nothing imports, of the files that are named or of all", () => {
    const lock = lockOf(root);
    const entries = {
      ...lock,
      "src/gemm.op.ts?M=99&tune=wasm": lock[whole!],
      "src/gone.op.ts?tune=wasm": lock[whole!],
    };
    writeFileSync(join(root, "kernels.lock.json"), JSON.stringify({ schema: 1, kernels: entries }));
    expect(tune(root, "--update", "src/gemm.op.ts").dropped).toEqual(["src/gemm.op.ts?M=99&tune=wasm"]);
    expect(Object.keys(lockOf(root))).toContain("src/gone.op.ts?tune=wasm");
    expect(tune(root, "--update").dropped).toEqual(["src/gone.op.ts?tune=wasm"]);
    expect(Object.keys(lockOf(root))).toEqual([small, whole, other].sort());
  });

  test("keeps what other machines have of an import of native, and all where an import leads nowhere", () => {
    const lock = lockOf(root);
    const main =
      'import gemm from "./gemm.op.ts?tune=wasm";\nimport n from "./other.op.ts?tune=native";\nconsole.log(gemm, n);\n';
    writeFileSync(join(root, "src/main.ts"), main);
    const entries = { ...lock, "src/other.op.ts?tune=amx": lock[whole!] };
    const write = () => writeFileSync(join(root, "kernels.lock.json"), JSON.stringify({ schema: 1, kernels: entries }));
    write();
    expect(tune(root, "--update", "src/gemm.op.ts").dropped).toEqual([small]);
    writeFileSync(join(root, "src/main.ts"), `${main}import lost from "@app/x.op.ts?tune=wasm";\nconsole.log(lost);\n`);
    write();
    expect(tune(root, "--update", "src/gemm.op.ts").dropped).toEqual([]);
    expect(Object.keys(lockOf(root))).toContain("src/other.op.ts?tune=amx");
  });

  test.each(["--again", "--compare=random"])("is not %s", (flag) => {
    const { exitCode, errors } = runCli(root, "tune", "--update", flag);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining("--update is given with --")]);
  });
});

turn("tune --offline asks no remote store", () => {
  const main = 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n';
  // Nobody listens at that address: a question is a warning.
  const asked = (...more: readonly string[]) =>
    runCli(
      writeProject({ ...files, "src/main.ts": main }),
      "tune",
      "--remote",
      "http://127.0.0.1:9/store",
      "--trials",
      "2",
      ...more,
    );
  expect(asked().errors).toContain("nothing is taken from the remote store");
  const { exitCode, errors } = asked("--offline");
  expect([exitCode, errors]).toEqual([0, expect.not.stringContaining("remote store")]);
});
