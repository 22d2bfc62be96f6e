// The plugin and the command line for ARM: a bundle that is built here answers there, and what runs there tunes for itself.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import kernels from "../../src/plugin/entries/esbuild.ts";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";
import { writeApp } from "../support/build-app.ts";
import { wasmSource } from "../support/fake-kernel.ts";
import { type ArmCpu, armNode, armSkipNote, armSkipReason, armToolchain, runArmNode } from "./arm-node.ts";

const own = fileURLToPath(new URL("../..", import.meta.url));

const operator = `import { gemm } from "unplugin-kernel/ops";
export default gemm({ M: 16, N: 16, K: 16 });
`;
const main = `import gemm from "./gemm.op.ts?tune=neon-dot";
const [A, B] = [new Float32Array(256).fill(1), new Float32Array(256).fill(2)];
const { twin, twinReason } = gemm.info;
console.log(JSON.stringify({ twin, twinReason, results: [gemm(A, B)[0], (await gemm.async(A, B))[255]] }));
`;
/** The twin that takes over here: Node 20 has no relaxed SIMD, and the Node for ARM is one. */
const twinHere = WebAssembly.validate(wasmSource(true).bytes) ? "wasm-relaxed" : "wasm";
const results = [32, 32];

function project(): string {
  const root = writeApp({
    "package.json": JSON.stringify({ type: "module", devDependencies: { "unplugin-kernel": "*" } }),
    "main.js": main,
    "gemm.op.ts": operator,
  });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(own, join(root, "node_modules/unplugin-kernel"), "junction");
  return root;
}

async function bundleOf(root: string, options: KernelPluginOptions): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: ["main.js"],
    bundle: true,
    platform: "node",
    format: "esm",
    outdir: "out",
    logLevel: "silent",
    plugins: [kernels(options)],
  });
}

const addonsIn = (root: string): readonly string[] =>
  readdirSync(join(root, "out"))
    .filter((name) => name.endsWith(".node"))
    .map((name) => join(root, "out", name));

/** e_machine of ELF: 62 is x86-64, 183 is 64-bit ARM. */
const machineOf = (addon: string): number => readFileSync(addon).readUInt16LE(18);

/** Runs the command line there, with a compiler on its PATH that is called as on ARM; esbuild is a program of this machine. */
async function runCommand(root: string, args: readonly string[], cpu: ArmCpu) {
  const bin = join(root, "bin");
  if (!existsSync(bin)) {
    mkdirSync(bin);
    symlinkSync(armToolchain!.path, join(bin, "gcc"));
    writeFileSync(join(bin, "node"), armNode(cpu), { mode: 0o755 });
  }
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    ARM_NODE: join(bin, "node"),
    NODE_OPTIONS: `--import ${fileURLToPath(new URL("exec-path.mjs", import.meta.url))}`,
    ESBUILD_BINARY_PATH: fileURLToPath(new URL("../../node_modules/esbuild/bin/esbuild", import.meta.url)),
  };
  return runArmNode([join(own, "dist/cli.js"), ...args], { cpu, cwd: root, env });
}

describe.skipIf(armSkipReason)(`a bundle with a kernel for ARM, built here${armSkipNote}`, () => {
  const root = armSkipReason ? "" : project();
  const bundle = join(root, "out/main.js");

  beforeAll(() => bundleOf(root, { mode: "predict" }));

  test("has an addon for 64-bit ARM", () => {
    expect(addonsIn(root).map(machineOf)).toEqual([183]);
  });

  test("answers natively on a processor that has the features", async () => {
    for (const cpu of ["max", "neoverse-n1"] as const) {
      const { stdout, stderr } = await runArmNode([bundle], { cpu });
      expect(JSON.parse(stdout || stderr)).toEqual({ twin: "native", twinReason: null, results });
    }
  });

  test("answers by WASM on a processor that lacks some", async () => {
    const { stdout, stderr } = await runArmNode([bundle], { cpu: "cortex-a72" });
    const answer = JSON.parse(stdout || stderr);
    expect(answer).toMatchObject({ twin: "wasm", results });
    expect(answer.twinReason).toContain("the CPU lacks dotprod, fp16");
  });

  test("answers by WASM here", () => {
    const answer = JSON.parse(execFileSync(process.execPath, [bundle], { encoding: "utf8" }));
    expect(answer).toMatchObject({ twin: twinHere, results });
    expect(answer.twinReason).toContain("the addon is built for linux-arm64");
  });
});

describe.skipIf(armSkipReason)(`one build for x64 and ARM${armSkipNote}`, () => {
  test("carries both addons, and each system loads its own", async () => {
    const root = project();
    writeFileSync(join(root, "main.js"), main.replace("neon-dot", "avx2"));
    const platforms = ["linux-x64", "linux-arm64"] as const;
    await bundleOf(root, { mode: "predict", platforms });
    expect(new Set(addonsIn(root).map(machineOf))).toEqual(new Set([62, 183]));
    const bundle = join(root, "out/main.js");
    const { stdout, stderr } = await runArmNode([bundle], { cpu: "neoverse-n1" });
    expect(JSON.parse(stdout || stderr)).toEqual({ twin: "native", twinReason: null, results });
    if (process.platform === "linux" && process.arch === "x64")
      expect(JSON.parse(execFileSync(process.execPath, [bundle], { encoding: "utf8" }))).toMatchObject({ results });
  });

  test("leaves this machine's own out where it is not asked for", async () => {
    const root = project();
    await bundleOf(root, { mode: "predict", platforms: ["linux-x64"] });
    expect(addonsIn(root).map(machineOf)).toEqual([62]);
  });
});

describe.skipIf(armSkipReason)(`the command line on ARM${armSkipNote}`, () => {
  test.each([
    ["max", "neon-i8mm"],
    ["neoverse-n1", "neon-dot"],
    ["cortex-a72", "wasm"],
  ] as const)("doctor on %s says what runs there: %s is native", async (cpu, native) => {
    const { stdout } = await runCommand(project(), ["doctor", "--json"], cpu);
    const { platform, native: found, targets } = JSON.parse(stdout);
    expect({ platform, found }).toEqual({ platform: "linux-arm64", found: native });
    const avx2 = targets.find(({ target }: { target: string }) => target === "avx2");
    expect(avx2).toMatchObject({ runs: false });
    expect(avx2.why).toContain("this CPU is arm64, and the target is x64");
  });

  test("tune measures there, to the lock", async () => {
    const root = project();
    const { status, stderr } = await runCommand(root, ["tune", "--seconds", "600", "--trials", "4"], "neoverse-n1");
    expect(status, stderr).toBe(0);
    const [entry] = Object.values<Record<string, unknown>>(
      JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8")).kernels,
    );
    expect(entry).toMatchObject({ target: { name: "neon-dot" }, measured: { trials: 4 } });
    expect(JSON.stringify(entry!.measured)).toContain("aarch64-linux-gnu");
  });
});
