// Vite with a root of its own below the package's: the command line tunes, and a build in CI finds the decisions where they lie.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build, createLogger } from "vite";
import { afterEach, expect, test, vi } from "vitest";
import kernel from "../../src/plugin/entries/vite.ts";
import { gemm, runCli, writeProject } from "../cli/project.ts";

afterEach(() => void vi.unstubAllEnvs());

test("a lock of the command line serves a build whose root is src: nothing is measured, and nothing is written there", async () => {
  const root = writeProject({
    "package.json": JSON.stringify({ name: "app", type: "module" }),
    "src/index.html": '<script type="module" src="/main.ts"></script>',
    "src/main.ts": 'import gemm from "./kernels/gemm.op.ts?tune=wasm";\nglobalThis.results = gemm;\n',
    "src/kernels/gemm.op.ts": gemm,
  });
  const { exitCode, errors } = runCli(root, "tune", "--seconds", "600", "--trials", "2");
  expect(exitCode, errors).toBe(0);
  const lockfile = join(root, "kernels.lock.json");
  const locked = readFileSync(lockfile, "utf8");
  expect(Object.keys(JSON.parse(locked).kernels)).toEqual(["src/kernels/gemm.op.ts?tune=wasm"]);

  vi.stubEnv("CI", "1");
  const said: string[] = [];
  const customLogger = { ...createLogger("silent"), info: (line: string) => void said.push(line) };
  const output = { outDir: "../dist", emptyOutDir: true };
  await build({ root: join(root, "src"), configFile: false, customLogger, plugins: [kernel()], build: output });
  expect(said.filter((line) => line.includes("[unplugin-kernel]"))).toEqual([
    expect.stringMatching(/1 kernel from kernels\.lock\.json, 0 measured, /),
  ]);
  expect(readFileSync(lockfile, "utf8")).toBe(locked);
  expect(["src/kernels.lock.json", "src/node_modules"].filter((name) => existsSync(join(root, name)))).toEqual([]);
});
