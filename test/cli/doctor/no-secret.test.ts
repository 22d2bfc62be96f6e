// A configuration folder that cannot be written: no secret binds the store's entries to their user, and those who meet it say so.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { suitesInTurn } from "../../support/long.ts";
import { gemm, runCli, writeProject } from "../project.ts";

const suite = suitesInTurn(2);

afterEach(() => void vi.unstubAllEnvs());

const said = (root: string): string =>
  `no secret could be kept in ${join(root, "blocked/unplugin-kernel/store.key")}: each run takes what earlier ones have put into the store for somebody else's, and makes it again; set UNPLUGIN_KERNEL_STORE_KEY to 64 hexadecimal digits that stay the same (openssl rand -hex 32)`;

/** A file lies where the user's configuration has to be. */
function block(root: string): void {
  vi.stubEnv("XDG_CONFIG_HOME", join(root, "blocked"));
  vi.stubEnv("APPDATA", join(root, "blocked"));
  vi.stubEnv("UNPLUGIN_KERNEL_STORE_KEY", "");
}

suite("no secret", () => {
  let root: string;
  beforeAll(() => {
    root = writeProject({
      "src/gemm.op.ts": gemm,
      "src/other.op.ts": gemm,
      "src/main.ts":
        'import gemm from "./gemm.op.ts?tune=wasm";\nimport other from "./other.op.ts?M=8&tune=wasm";\nconsole.log(gemm, other);\n',
      blocked: "",
    });
  });

  test("is one warning of a run, however many kernels it has", () => {
    block(root);
    const { errors } = runCli(root, "tune", "--trials", "2");
    expect(errors.split(said(root))).toHaveLength(2);
  });

  test("is said by doctor and cache ls", () => {
    block(root);
    expect(runCli(root, "doctor").output).toContain(said(root));
    expect(JSON.parse(runCli(root, "doctor", "--json").output).project.storeProblems).toEqual([said(root)]);
    expect(runCli(root, "cache", "ls").output).toContain(said(root));
  });

  test("is said by cache export, behind what is left out", () => {
    block(root);
    const { output } = runCli(root, "cache", "export", "decisions.jsonl");
    expect(output).toBe(
      `0 decisions in decisions.jsonl; left out: 2 decisions that builds of another user, or of an older version, wrote; ${said(root)}\n`,
    );
    expect(JSON.parse(runCli(root, "cache", "export", "again.jsonl", "--json").output).noSecret).toBe(said(root));
  });

  test("is no more where the environment has one, and a store of that secret is its own again", () => {
    block(root);
    vi.stubEnv("UNPLUGIN_KERNEL_STORE_KEY", "5e".repeat(32));
    rmSync(join(root, "kernels.lock.json"));
    rmSync(join(root, "node_modules/.cache"), { recursive: true });
    const { errors } = runCli(root, "tune", "--trials", "2");
    expect(errors).not.toContain("no secret");
    expect(runCli(root, "cache", "export", "own.jsonl").output).toBe("2 decisions in own.jsonl\n");
  });
});
