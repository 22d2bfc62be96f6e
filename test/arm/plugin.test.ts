// The plugin and the command line for ARM: a bundle that is built here answers there, and what runs there tunes for itself.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { armDecision } from "../support/arm-decision.ts";
import { bundleApp, linkedApp } from "../support/bundled-app.ts";
import { wasmSource } from "../support/fake-kernel.ts";
import { inTurn, isLong, longNote } from "../support/long.ts";
import { startDouble } from "../support/remote/double.ts";
import { offerAt } from "../support/remote/share.ts";
import { writePack } from "../support/write-pack.ts";
import { type ArmCpu, armNode, armSkipNote, armSkipReason, armToolchain, runArmNode } from "./arm-node.ts";

const turn = inTurn(3);

const own = fileURLToPath(new URL("../..", import.meta.url));

const operator = `import { gemm } from "unplugin-kernel/ops";
export default gemm({ M: 16, N: 16, K: 16 });
`;
const main = `import gemm from "./gemm.op.ts?tune=neon-dot";
const [A, B] = [new Float32Array(256).fill(1), new Float32Array(256).fill(2)];
const { twin, twinReason } = gemm.info;
console.log(JSON.stringify({ twin, twinReason, results: [gemm(A, B)[0], (await gemm.async(A, B))[255]] }));
`;
/** Of tests that compile, measure or start the command line in the emulator. */
const [isSkipped, note] = [armSkipReason !== null || !isLong, armSkipNote || longNote];
/** The twin that takes over here: Node 20 has no relaxed SIMD, and the Node for ARM is one. */
const twinHere = WebAssembly.validate(wasmSource(true).bytes) ? "wasm-relaxed" : "wasm";
const results = [32, 32];

const project = (): string => linkedApp({ "main.js": main, "gemm.op.ts": operator });

const addonsIn = (root: string): readonly string[] =>
  readdirSync(join(root, "out"))
    .filter((name) => name.endsWith(".node"))
    .map((name) => join(root, "out", name));

/** e_machine of ELF: 62 is x86-64, 183 is 64-bit ARM. */
const machineOf = (addon: string): number => readFileSync(addon).readUInt16LE(18);

/** A frozen build with a store of its own. */
const buildScript = `import { build } from "esbuild";
import kernels from "unplugin-kernel/esbuild";
const outdir = process.argv[2];
await build({
  entryPoints: ["main.js"], bundle: true, platform: "node", format: "esm", outdir, logLevel: "error",
  plugins: [kernels({ mode: "frozen", cacheDir: "store-" + outdir })],
});
`;

/** All files below a folder: names and bytes. */
const bytesIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.\w+$/.test(name))
      .map((name) => [name, readFileSync(join(folder, name), "base64")]),
  );

/** Runs Node there, with a compiler on its PATH that is called as on ARM; esbuild is a program of this machine. */
async function runThere(root: string, args: readonly string[], cpu: ArmCpu) {
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
  return runArmNode(args, { cpu, cwd: root, env });
}

const runCommand = (root: string, args: readonly string[], cpu: ArmCpu) =>
  runThere(root, [join(own, "dist/cli.js"), ...args], cpu);

describe.skipIf(armSkipReason)(`a bundle with a kernel for ARM, built here${armSkipNote}`, () => {
  const root = armSkipReason ? "" : project();
  const bundle = join(root, "out/main.js");

  beforeAll(() => bundleApp(root, { mode: "predict" }));

  test("has an addon for 64-bit ARM", () => {
    expect(addonsIn(root).map(machineOf)).toEqual([183]);
  });

  turn("answers natively on a processor that has the features", async () => {
    for (const cpu of ["max", "neoverse-n1"] as const) {
      const { stdout, stderr } = await runArmNode([bundle], { cpu });
      expect(JSON.parse(stdout || stderr)).toEqual({ twin: "native", twinReason: null, results });
    }
  });

  turn("answers by WASM on a processor that lacks some", async () => {
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
  turn("carries both addons, and each system loads its own", async () => {
    const root = project();
    writeFileSync(join(root, "main.js"), main.replace("neon-dot", "avx2"));
    const platforms = ["linux-x64", "linux-arm64"] as const;
    await bundleApp(root, { mode: "predict", platforms });
    expect(new Set(addonsIn(root).map(machineOf))).toEqual(new Set([62, 183]));
    const bundle = join(root, "out/main.js");
    const { stdout, stderr } = await runArmNode([bundle], { cpu: "neoverse-n1" });
    expect(JSON.parse(stdout || stderr)).toEqual({ twin: "native", twinReason: null, results });
    if (process.platform === "linux" && process.arch === "x64")
      expect(JSON.parse(execFileSync(process.execPath, [bundle], { encoding: "utf8" }))).toMatchObject({ results });
  });

  turn("leaves this machine's own out where it is not asked for", async () => {
    const root = project();
    await bundleApp(root, { mode: "predict", platforms: ["linux-x64"] });
    expect(addonsIn(root).map(machineOf)).toEqual([62]);
  });
});

describe.skipIf(isSkipped)(`a decision of others for ARM, built on another machine${note}`, () => {
  test.each(["pack", "remote store"])("is that of a %s, and its addon answers right there", async (place) => {
    const root = project();
    const decision = await armDecision(root, "neon-dot", "gemm.op.ts");
    const server = await startDouble();
    offerAt(server, "/store", decision.tunedFor!.class, decision);
    writePack(root, { name: "tuned", decisions: [decision] });
    const others = place === "pack" ? { packs: ["tuned"] } : { remote: `${server.url}/store` };
    const said: string[] = [];
    const log = vi.spyOn(console, "error").mockImplementation((line) => void said.push(String(line)));
    await bundleApp(root, { mode: "tune", cacheDir: "store", ...others }).finally(() => log.mockRestore());
    await server.close();
    expect(said.join("\n")).toContain(`1 kernel from ${place === "pack" ? "a pack" : "the remote store"}`);
    expect(said.join("\n")).toContain("which was built here and not run");
    const lock = JSON.parse(readFileSync(join(root, "kernels.lock.json"), "utf8"));
    expect(lock.kernels["gemm.op.ts?tune=neon-dot"]).toMatchObject({ source: decision.source, measured: null });
    const { stdout, stderr } = await runArmNode([join(root, "out/main.js")], { cpu: "neoverse-n1" });
    expect(JSON.parse(stdout || stderr)).toEqual({ twin: "native", twinReason: null, results });
  });
});

describe.skipIf(isSkipped)(`the command line on ARM${note}`, () => {
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

  test("tune measures there, to the lock, from which a build has the same bytes there and here", async () => {
    const root = project();
    writeFileSync(
      join(root, "main.js"),
      `${main}import wasm from "./gemm.op.ts?tune=wasm";\nconsole.log(wasm.info.twin);\n`,
    );
    writeFileSync(join(root, "build.mjs"), buildScript);
    symlinkSync(join(own, "node_modules/esbuild"), join(root, "node_modules/esbuild"), "junction");
    const tuned = await runCommand(root, ["tune", "--seconds", "600", "--trials", "4"], "neoverse-n1");
    expect(tuned.status, tuned.stderr).toBe(0);
    const lock = readFileSync(join(root, "kernels.lock.json"), "utf8");
    const entries: readonly Record<string, unknown>[] = Object.values(JSON.parse(lock).kernels);
    const native = entries.find(({ target }) => (target as { name: string }).name === "neon-dot");
    expect(native).toMatchObject({ measured: { trials: 4 } });
    expect(JSON.stringify(native!.measured)).toContain("aarch64-linux-gnu");
    const there = await runThere(root, [join(root, "build.mjs"), "there"], "neoverse-n1");
    expect(there.status, there.stderr).toBe(0);
    execFileSync(process.execPath, [join(root, "build.mjs"), "here"], { cwd: root });
    expect(bytesIn(join(root, "here"))).toEqual(bytesIn(join(root, "there")));
    expect(Object.keys(bytesIn(join(root, "here"))).some((name) => name.endsWith(".node"))).toBe(true);
    expect(readFileSync(join(root, "kernels.lock.json"), "utf8")).toBe(lock);
  });
});
