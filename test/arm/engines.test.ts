// WASM of engines on 64-bit ARM, in an emulated Node: what a module answers that asks for the class, which schedule of a bundle runs, and
// the tuning of the one for ARM.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect } from "vitest";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";
import { writeApp } from "../support/build-app.ts";
import { bundleApp, linkedApp } from "../support/bundled-app.ts";
import { inTurn, longTest } from "../support/long.ts";
import { armNode, armSkipNote, armSkipReason, runArmNode } from "./arm-node.ts";

const turn = inTurn(4);

const own = fileURLToPath(new URL("../..", import.meta.url));

const main = `import gemm from "./gemm.op.ts?tune=wasm";
const [A, B] = [new Float32Array(4096).fill(1), new Float32Array(4096).fill(2)];
const C = gemm(A, B);
const { target, gflops } = gemm.info;
console.log(JSON.stringify({ target, isMeasured: gflops !== null, isRight: C.every((it) => it === 128), last: (await gemm.async(A, B))[4095] }));
`;

const project = (): string =>
  linkedApp({
    "main.js": main,
    "gemm.op.ts": 'import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 64, N: 64, K: 64 });\n',
  });

const bundleOf = async (root: string, options: KernelPluginOptions): Promise<string> =>
  join(await bundleApp(root, { engines: ["x86", "arm"], logLevel: "silent", ...options }), "main.js");

const answerThere = async (bundle: string) => {
  const { stdout, stderr } = await runArmNode([bundle]);
  return JSON.parse(stdout || stderr);
};
const answerHere = (bundle: string) => JSON.parse(execFileSync(process.execPath, [bundle], { encoding: "utf8" }));

describe.skipIf(armSkipReason)(`engines on ARM${armSkipNote}`, () => {
  turn.each([[[]], [["--liftoff", "--no-wasm-tier-up"]], [["--no-liftoff"]]])(
    "the module that asks for the class says ARM, with flags %j, and x86 here",
    async (flags) => {
      const root = writeApp({
        "main.js":
          'import { classesOfEngine } from "./plugin/runtime/engine.ts";\nconsole.log(classesOfEngine().at(-1));\n',
        ...Object.fromEntries(
          ["plugin/runtime/engine.ts", "native/load/relaxed-simd.ts"].map((file) => [
            file,
            readFileSync(join(own, "src", file), "utf8"),
          ]),
        ),
      });
      const outfile = join(root, "out.mjs");
      await build({ absWorkingDir: root, entryPoints: ["main.js"], bundle: true, format: "esm", outfile });
      expect((await runArmNode([...flags, outfile])).stdout.trim()).toBe("arm");
      const here = execFileSync(process.execPath, [...flags, outfile], { encoding: "utf8" }).trim();
      expect(here).toBe(process.arch === "x64" ? "x86" : "arm");
    },
  );

  turn("a bundle answers by the schedule of the engine's class, and says which", async () => {
    const bundle = await bundleOf(project(), { mode: "predict" });
    const right = { isMeasured: false, isRight: true, last: 128 };
    expect(await answerThere(bundle)).toEqual({ target: "wasm-arm", ...right });
    const here = process.arch === "x64" ? "wasm-x86" : "wasm-arm";
    expect(answerHere(bundle)).toEqual({ target: here, ...right });
  });

  longTest("what was tuned there is in the lock beside what was tuned here, and a bundle has both", async () => {
    const root = project();
    const bin = join(root, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "node"), armNode("max"), { mode: 0o755 });
    const env = {
      PATH: `${bin}:/usr/bin:/bin`,
      ARM_NODE: join(bin, "node"),
      NODE_OPTIONS: `--import ${fileURLToPath(new URL("exec-path.mjs", import.meta.url))}`,
      ESBUILD_BINARY_PATH: fileURLToPath(new URL("../../node_modules/esbuild/bin/esbuild", import.meta.url)),
    };
    await bundleOf(root, { mode: "tune", engines: ["x86"], budget: { seconds: 600, trials: 4 } });
    const args = ["tune", "--engines", "arm", "--seconds", "600", "--trials", "4"];
    const { status, stderr } = await runArmNode([join(own, "dist/cli.js"), ...args], { cwd: root, env });
    expect(status, stderr).toBe(0);
    const { kernels: entries } = JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8"));
    expect(Object.keys(entries)).toEqual(["wasm", "wasm-arm", "wasm-x86"].map((name) => `gemm.op.ts?tune=${name}`));
    expect(entries["gemm.op.ts?tune=wasm-arm"].measured).toMatchObject({ trials: 4 });
    const bundle = await bundleOf(root, { mode: "frozen" });
    const right = { isMeasured: true, isRight: true, last: 128 };
    expect(await answerThere(bundle)).toEqual({ target: "wasm-arm", ...right });
    expect(answerHere(bundle)).toMatchObject(right);
  });
});
