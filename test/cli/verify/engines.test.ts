// Entries for classes of engines, for the commands that look through the lock: `tune --engines` makes them, `verify --engines` builds them
// again, `verify --output` knows their modules in a build's output, and `tune --update` drops none of them. The same for addons of other systems.

import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { run as tune } from "../../../src/cli/actions/tune.ts";
import { run as verify } from "../../../src/cli/actions/verify.ts";
import { exitCodes } from "../../../src/cli/project/command.ts";
import { openProject } from "../../../src/cli/project/project.ts";
import { detectToolchains } from "../../../src/native/toolchain/detect.ts";
import { moduleInCode } from "../../../src/plugin/runtime/module-text.ts";
import { isHere } from "../../skips/environment.js";
import { armDecision } from "../../support/arm-decision.ts";
import { kernelPlugin } from "../../support/kernel-plugin.ts";
import { suitesInTurn } from "../../support/long.ts";
import { writePack } from "../../support/write-pack.ts";
import { gemm, writeProject } from "../project.ts";

const suite = suitesInTurn(2);

const here = process.arch === "x64" ? "wasm-x86" : "wasm-arm";
const names = ["wasm", here].map((target) => `src/gemm.op.ts?tune=${target}`);

suite("the lock of a kernel for both classes of engines", () => {
  const root = writeProject({
    "src/gemm.op.ts": gemm,
    "src/main.ts": 'import gemm from "./gemm.op.ts?tune=wasm";\nconsole.log(gemm);\n',
  });
  const cacheDir = join(root, "store");
  const open = (flags: { engines?: string } = { engines: "x86,arm" }) =>
    openProject({ root, cacheDir, ...flags }, "silent", { seconds: 600, trials: 2 });
  const lockFile = join(root, "kernels.lock.json");
  const lock = () => JSON.parse(readFileSync(lockFile, "utf8"));

  test("gets an entry for the class of this machine, of which verify builds the kernel again", async () => {
    expect((await tune(open(), [], { json: true })).exitCode).toBe(exitCodes.done);
    expect(Object.keys(lock().kernels)).toEqual(names);
    for (const flags of [{}, { engines: "x86,arm" }])
      expect(await verify(open(flags), [], {})).toMatchObject({ exitCode: exitCodes.done, json: { unused: [] } });
  });

  test("says what modules a build ships, for the class that nobody has measured too", async () => {
    const plugin = kernelPlugin.esbuild({
      root,
      cacheDir,
      mode: "frozen",
      engines: ["x86", "arm"],
      logLevel: "silent",
    });
    const entryPoints = ["src/main.ts"];
    await build({ absWorkingDir: root, entryPoints, bundle: true, format: "esm", outdir: "out", plugins: [plugin] });
    const modules = readFileSync(join(root, "out/main.js"), "utf8").match(moduleInCode)!;
    expect(modules.length).toBeGreaterThan(2);
    // The output says which classes it has, and the command need not be told.
    for (const flags of [{}, { engines: "arm" }, { engines: "x86,arm" }]) {
      const { exitCode, json } = await verify(open(flags), [], { output: join(root, "out") });
      const { output } = json as { output: readonly { state: string }[] };
      expect(output.map(({ state }) => state)).toEqual(modules.map(() => "right"));
      expect(exitCode).toBe(exitCodes.done);
    }
  });

  test("keeps the entry though no import names it and the command is told of no classes", async () => {
    expect((await tune(open({}), [], { json: true, update: true })).exitCode).toBe(exitCodes.done);
    expect(Object.keys(lock().kernels)).toEqual(names);
  });

  test("is wrong where the entry of a class was edited", async () => {
    const edited = lock();
    edited.kernels[names[1]!].source = "0".repeat(64);
    writeFileSync(lockFile, JSON.stringify(edited));
    const { exitCode, text } = await verify(open(), [], {});
    expect(exitCode).toBe(exitCodes.wrong);
    expect(text).toContain(`${names[1]}: the locked decisions do not generate the locked source`);
  });

  test("refuses a class that there is none of", () => {
    expect(() => open({ engines: "x86,mips" })).toThrow('option engines is ["x86","mips"]');
  });
});

const cross = process.platform === "linux" && (await detectToolchains({ platform: "linux-arm64" })).length > 0;
const isBuilt = cross && process.arch === "x64" && isHere("avx2") && (await detectToolchains()).length > 0;

suite.skipIf(!isBuilt)(
  `the lock of a kernel with addons for other systems${isBuilt ? "" : " (needs avx2 and compilers)"}`,
  () => {
    const name = "src/gemm.op.ts?tune=neon-dot";
    const root = writeProject({
      "src/gemm.op.ts": gemm,
      "src/main.ts": 'import gemm from "./gemm.op.ts?tune=avx2";\nconsole.log(gemm);\n',
    });
    const cacheDir = join(root, "store");
    const lockFile = join(root, "kernels.lock.json");
    const open = () => openProject({ root, cacheDir }, "silent", { seconds: 600, trials: 2 });
    const outputOf = async () => {
      const { exitCode, json } = await verify(open(), [], { output: join(root, "out") });
      const { output } = json as { output: readonly { file: string; state: string }[] };
      return { exitCode, states: output.filter(({ file }) => file.endsWith(".node")).map(({ state }) => state) };
    };

    beforeAll(async () => {
      writePack(root, { name: "tuned", decisions: [await armDecision(root, "neon-dot")] });
      const plugin = kernelPlugin.esbuild({
        ...{ root, cacheDir, mode: "tune", packs: ["tuned"], logLevel: "silent", budget: { seconds: 600, trials: 2 } },
        platforms: ["linux-x64", "linux-arm64"],
      });
      const entryPoints = ["src/main.ts"];
      const output = { bundle: true, format: "esm", platform: "node", outdir: "out" } as const;
      await build({ absWorkingDir: root, entryPoints, ...output, plugins: [plugin] });
    });

    test("says of both addons whether they are what is built of the lock", async () => {
      expect(await outputOf()).toEqual({ exitCode: exitCodes.done, states: ["right", "right"] });
      const { json } = await verify(open(), [], {});
      expect(json).toMatchObject({ unused: [] });
    });

    test("keeps the entry for ARM though no import names it", async () => {
      expect((await tune(open(), [], { json: true, update: true })).exitCode).toBe(exitCodes.done);
      expect(Object.keys(JSON.parse(readFileSync(lockFile, "utf8")).kernels)).toContain(name);
    });

    test("finds an addon for ARM that was changed", async () => {
      const addons = readdirSync(join(root, "out")).filter((it) => it.endsWith(".node"));
      const foreign = addons.find((it) => readFileSync(join(root, "out", it)).readUInt16LE(18) === 183)!;
      appendFileSync(join(root, "out", foreign), "0");
      const { exitCode, states } = await outputOf();
      expect(exitCode).toBe(exitCodes.wrong);
      expect(states).toContain("wrong");
    });
  },
);
