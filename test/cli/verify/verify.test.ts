// `verify` of several kernels: one that is wrong is enough. And of what lies in the cache directory beside them.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { run as tune } from "../../../src/cli/actions/tune.ts";
import { run as verify } from "../../../src/cli/actions/verify.ts";
import { exitCodes } from "../../../src/cli/project/command.ts";
import { openProject } from "../../../src/cli/project/project.ts";
import { moduleFileName } from "../../../src/plugin/kernel/stored/module-file.ts";
import { plants, sealAgain } from "../../support/foreign-store.ts";
import { inTurn } from "../../support/long.ts";
import { gemm, writeProject } from "../project.ts";

const turn = inTurn(3);

const imports = (query: string): string => `import gemm from "./gemm.op.ts?${query}";\nconsole.log(gemm);\n`;

turn("one kernel of two that is not in the lock makes the exit code that of a failure", async () => {
  const root = writeProject({ "src/gemm.op.ts": gemm, "src/main.ts": imports("tune=wasm") });
  const open = () => openProject({ root, cacheDir: join(root, "store") }, "silent", { seconds: 600, trials: 2 });
  expect((await tune(open(), [], { json: true })).exitCode).toBe(exitCodes.done);
  expect(await verify(open(), [], {})).toMatchObject({ exitCode: exitCodes.done });
  writeFileSync(join(root, "src/other.ts"), imports("M=8&tune=wasm"));
  const { exitCode, json } = await verify(open(), [], {});
  const states = (json as { kernels: readonly { state: string }[] }).kernels.map(({ state }) => state);
  expect(states.sort()).toEqual(["right", "wrong"]);
  expect(exitCode).toBe(exitCodes.wrong);
});

turn("one lost of two: an import that leads to no operator file makes the exit code that of a failure", async () => {
  const root = writeProject({ "src/gemm.op.ts": gemm, "src/main.ts": imports("tune=wasm") });
  const open = () => openProject({ root, cacheDir: join(root, "store") }, "silent", { seconds: 600, trials: 2 });
  expect((await tune(open(), [], { json: true })).exitCode).toBe(exitCodes.done);
  writeFileSync(join(root, "src/other.ts"), imports("tune=wasm").replace("gemm.op.ts", "gemms.op.ts"));
  const { exitCode, json, text } = await verify(open(), [], {});
  const { kernels } = json as { kernels: readonly { kernel: string; state: string }[] };
  expect(kernels.map(({ kernel, state }) => `${state} ${kernel}`).sort()).toEqual([
    "right src/gemm.op.ts?tune=wasm",
    "wrong ./gemms.op.ts?tune=wasm",
  ]);
  expect(text).toContain("./gemms.op.ts?tune=wasm: the import in src/other.ts leads to no operator file");
  expect(exitCode).toBe(exitCodes.wrong);
});

turn("a file in place of the store's folder is nothing wrong with the lock", async () => {
  const root = writeProject({ "src/gemm.op.ts": gemm, "src/main.ts": imports("tune=wasm") });
  const open = () => openProject({ root, cacheDir: join(root, "store") }, "silent", { seconds: 600, trials: 2 });
  expect((await tune(open(), [], { json: true })).exitCode).toBe(exitCodes.done);
  rmSync(join(root, "store"), { recursive: true });
  writeFileSync(join(root, "store"), "");
  expect(await verify(open(), [], {})).toMatchObject({ exitCode: exitCodes.done });
});

turn("a planted module for Jest is named, and is no failure, as it is never run; one of ours is not", async () => {
  const root = writeProject({ "src/gemm.op.ts": gemm, "src/main.ts": imports("tune=wasm") });
  const store = join(root, "store");
  const open = () => openProject({ root, cacheDir: store }, "silent", { seconds: 600, trials: 2 });
  await tune(open(), [], { json: true });
  mkdirSync(join(store, "jest"));
  const code = "module.exports = 1;\n";
  writeFileSync(join(store, "jest", moduleFileName("gemm", code, "cjs")), code);
  writeFileSync(join(store, "jest/gemm-0123456789abcdef.mjs"), "export default 2;\n");
  writeFileSync(join(store, "jest/other.cjs"), "module.exports = 3;\n");
  const { exitCode, json, text } = await verify(open(), [], {});
  expect((json as { foreign: readonly object[] }).foreign).toEqual([
    { what: "module for Jest, jest/gemm-0123456789abcdef.mjs", key: null },
    { what: "module for Jest, jest/other.cjs", key: null },
  ]);
  expect(text).toContain("foreign  module for Jest, jest/other.cjs: not of this user's builds, and not used");
  expect(exitCode).toBe(exitCodes.done);
});

turn("an entry of our own that is not what is built is wrong, as a build would ship it", async () => {
  const root = writeProject({ "src/gemm.op.ts": gemm, "src/main.ts": imports("tune=wasm") });
  const store = join(root, "store");
  const open = () => openProject({ root, cacheDir: store }, "silent", { seconds: 600, trials: 2 });
  await tune(open(), [], { json: true });
  expect(await plants.wasm(store)).toBeGreaterThan(0);
  expect(await sealAgain(store)).toBeGreaterThan(0);
  const { exitCode, json } = await verify(open(), [], {});
  expect(json).toMatchObject({
    foreign: [],
    kernels: [
      {
        state: "wrong",
        why: expect.stringMatching(/^the store has another wasm\b.* than is built, and a build would ship it/),
      },
    ],
  });
  expect(exitCode).toBe(exitCodes.wrong);
});
