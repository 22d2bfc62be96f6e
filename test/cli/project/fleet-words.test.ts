// What `tune` and `worker` say of a fleet that is not to be had, and of options that do not go together: the next step is the right one.

import { expect, test } from "vitest";
import { gemm, runCli, writeProject } from "../project.ts";

const root = writeProject({
  "src/gemm.op.ts": gemm,
  "src/main.ts": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n',
});
// Nobody listens there.
const nowhere = "redis://127.0.0.1:9";

test("a Redis that cannot be reached is not mended by workers", () => {
  const { exitCode, errors } = runCli(root, "tune", "--redis", nowhere, "--all-targets");
  expect([exitCode, errors]).toEqual([
    1,
    expect.stringMatching(
      /^fleet\.no-workers: .* ECONNREFUSED .*\n {2}hint: start that Redis, or name another with --redis\n$/,
    ),
  ]);
});

test("Slurm that is not here is none either", () => {
  const { exitCode, errors } = runCli(root, "tune", "--slurm", "zen4", "--all-targets");
  expect([exitCode, errors]).toEqual([1, expect.stringContaining("hint: run this where sbatch is")]);
});

test.each([
  [["--job", "job.json"], "--job is given alone"],
  [["--out", "results.json"], "--out is given alone"],
  [["--redis", nowhere, "--describe", "class.json"], "--redis and --describe are given at once"],
  [["--redis", nowhere, "--job", "job.json", "--out", "results.json"], "--redis and --job are given at once"],
])("worker %j is a mistake", (args, why) => {
  const { exitCode, errors } = runCli(root, "worker", ...args);
  expect([exitCode, errors]).toEqual([2, expect.stringContaining(why)]);
});
