// A cache in which a pipe lies in place of each file: nobody writes into it, and nobody waits for who does.

import { execFileSync } from "node:child_process";
import { cpSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { inTurn } from "../../support/long.ts";
import { gemm, runCli, writeProject } from "../project.ts";

const turn = inTurn(7);

const files = {
  "src/gemm.op.ts": gemm,
  "src/main.ts": 'import "./gemm.op.ts?tune=wasm";\nimport "./gemm.op.ts?tune=native";\n',
};
const quickly = ["--seconds", "600", "--trials", "4"];
const cache = "node_modules/.cache/unplugin-kernel";

describe.skipIf(process.platform === "win32")("pipes in place of", () => {
  let filled: string;
  let inCache: readonly string[];
  beforeAll(() => {
    filled = writeProject(files);
    expect(runCli(filled, "tune", ...quickly).exitCode).toBe(0);
    inCache = readdirSync(join(filled, cache), { recursive: true, encoding: "utf8" })
      .map((name) => join(cache, name))
      .filter((name) => lstatSync(join(filled, name)).isFile());
  });

  /** A copy of the project with pipes in place of all files of its cache. */
  const withPipes = (): string => {
    const root = writeProject(files);
    for (const name of [cache, "kernels.lock.json"]) cpSync(join(filled, name), join(root, name), { recursive: true });
    const paths = inCache.map((name) => join(root, name));
    for (const path of paths) rmSync(path);
    execFileSync("mkfifo", paths);
    return root;
  };

  it("are many kinds of files", () => {
    for (const kind of [/records\.jsonl$/, /tunings\.jsonl$/, /index-v5/, /content-v2/])
      expect(inCache).toContainEqual(expect.stringMatching(kind));
  });

  turn("all of them: a build makes what is in the lock, and a line says that the store is not written", () => {
    const root = withPipes();
    const { exitCode, output, errors } = runCli(root, "tune", "--json");
    expect(exitCode).toBe(0);
    const kernel = { origin: "lock", measured: 0, error: null };
    expect(JSON.parse(output).kernels).toMatchObject([kernel, kernel]);
    expect(errors).toMatch(/^\[unplugin-kernel\] the store in .* could not be written: .* is no regular file\n$/);
  });

  turn("all of them, without a lock: a build tunes anew", () => {
    const root = withPipes();
    rmSync(join(root, "kernels.lock.json"));
    const { exitCode, output, errors } = runCli(root, "tune", ...quickly, "--json");
    expect([exitCode, errors]).toEqual([0, expect.stringMatching(/measurements are not kept: .*records\.jsonl is no/)]);
    expect(JSON.parse(output).kernels).toMatchObject([{ origin: "tuned" }, { origin: "tuned" }]);
  });

  turn.each([
    { command: ["cache", "ls"], exitCode: 0, says: "unreadable, or of another version" },
    { command: ["cache", "gc"], exitCode: 0, says: "could not be read, and stay" },
    { command: ["cache", "export", "out.jsonl"], exitCode: 0, says: "could not be read" },
    { command: ["verify"], exitCode: 0, says: "right    src/gemm.op.ts?tune=native" },
    { command: ["doctor"], exitCode: 0, says: "cache" },
    { command: ["report"], exitCode: 1, says: "tunings.jsonl is no regular file" },
  ])("all of them: $command says what it has", ({ command, ...expected }) => {
    const { exitCode, output, errors } = runCli(withPipes(), ...command);
    expect({ exitCode, says: output + errors }).toEqual({ ...expected, says: expect.stringContaining(expected.says) });
    expect(errors).not.toMatch(/^\s+at /m);
  });
});
