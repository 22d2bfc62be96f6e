// `tune` where the lock cannot be written: a failure that says where the decisions are, and they are there.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { inTurn } from "../../support/long.ts";
import { gemm, runCli, writeProject } from "../project.ts";

const turn = inTurn(4);

const kernel = "src/gemm.op.ts?tune=wasm";
const files = {
  "src/gemm.op.ts": gemm,
  "src/main.ts": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n',
};

/** A name that a file system takes, which leaves no room for that of the file that is written beside it. */
const tooLong = `${"k".repeat(240)}.json`;
const unwritable = ["--lockfile", tooLong, "--trials", "2"];

/** Changes the times of a lock, which could be measured again to the digit: then there is nothing to write. */
const withOtherTimes = (lock: string): void =>
  writeFileSync(lock, readFileSync(lock, "utf8").replaceAll(/"medianNs": [\d.]+/g, '"medianNs": 1'));

describe("a lock that cannot be written", () => {
  turn("is a failure of tune, which says so once, and the next run has the decisions from the store", () => {
    const root = writeProject(files);
    const { exitCode, output, errors } = runCli(root, "tune", ...unwritable);
    expect([exitCode, output]).toEqual([1, ""]);
    expect(errors).toMatch(/src\/gemm\.op\.ts\?tune=wasm \| tuned \|/);
    expect(errors.match(/cannot be written/g)).toHaveLength(1);
    expect(errors).toMatch(
      /^lock\.unwritable: \S+\.json cannot be written: ENAMETOOLONG\b.*: the decisions are in the store \(\S+unplugin-kernel\); when the lock can be written, tune takes them from there$/m,
    );
    const again = JSON.parse(runCli(root, "tune", "--json").output);
    expect(again.kernels).toMatchObject([{ kernel, origin: "store", measured: 0 }]);
  });

  turn("is one of tune --update, in JSON too, and what was measured anew is in the store", () => {
    const root = writeProject(files);
    runCli(root, "tune", "--trials", "2");
    renameSync(join(root, "kernels.lock.json"), join(root, tooLong));
    withOtherTimes(join(root, tooLong));
    const { exitCode, output } = runCli(root, "tune", "--update", "--json", ...unwritable);
    expect(exitCode).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      kernels: [{ kernel, origin: "tuned", error: null }],
      dropped: [],
      error: { code: "lock.unwritable", hint: expect.stringContaining("delete the old entries of these kernels") },
    });
  });

  turn("is none to a tune that has nothing to write", () => {
    const root = writeProject(files);
    runCli(root, "tune", "--trials", "2");
    renameSync(join(root, "kernels.lock.json"), join(root, tooLong));
    expect(runCli(root, "tune", ...unwritable)).toMatchObject({ exitCode: 0 });
  });

  turn("loses the decisions where the store is none either, and says so", () => {
    const root = writeProject({ ...files, blocked: "" });
    const { exitCode, errors } = runCli(root, "tune", ...unwritable, "--cache-dir", "blocked/store");
    expect(exitCode).toBe(1);
    expect(errors).toMatch(
      /cannot be written: ENAMETOOLONG.*: the store cannot be written either, so the decisions are lost$/m,
    );
  });
});
