// One build for four systems: a copy of the bundle answers natively on three of them (Linux on x64; on ARM, emulated; Windows, under Wine). macOS
// runs nowhere here, and its addon is read.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import kernels from "../../src/plugin/entries/esbuild.ts";
import { armSkipReason, runArmNode } from "../arm/arm-node.ts";
import { project } from "../native/compiled.ts";
import { writeApp } from "../support/build-app.ts";
import { readMachO } from "../support/mach-o.ts";
import { runWineNode, wineSkipReason } from "./wine-node.ts";

const own = fileURLToPath(new URL("../..", import.meta.url));
const skipReason = wineSkipReason ?? armSkipReason;

const main = `import gemm from "./gemm.op.ts?tune=avx2";
const [A, B] = [new Float32Array(1024).fill(1), new Float32Array(1024).fill(2)];
const { twin, twinReason } = gemm.info;
console.log(JSON.stringify({ platform: process.platform + "-" + process.arch, twin, twinReason, result: gemm(A, B)[7] }));
`;

/** Builds with nothing but zig, and returns the folder of the bundle. */
async function builtFor(
  platforms: readonly ("linux-x64" | "linux-arm64" | "darwin-arm64" | "win32-x64")[],
): Promise<string> {
  const root = writeApp({
    "package.json": JSON.stringify({ type: "module", devDependencies: { "unplugin-kernel": "*" } }),
    "main.js": main,
    "gemm.op.ts": `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 32, N: 32, K: 32 });\n`,
    "out/package.json": JSON.stringify({ type: "module" }),
  });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(own, join(root, "node_modules/unplugin-kernel"), "junction");
  symlinkSync(join(project, "node_modules/@zigc"), join(root, "node_modules/@zigc"), "junction");
  await build({
    absWorkingDir: root,
    entryPoints: ["main.js"],
    bundle: true,
    platform: "node",
    format: "esm",
    outdir: "out",
    logLevel: "silent",
    plugins: [kernels({ root, mode: "predict", platforms })],
  });
  return join(root, "out");
}

const addonsIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".node"))
    .map((name) => join(folder, name));

const sizeOf = (folder: string): number => addonsIn(folder).reduce((sum, addon) => sum + statSync(addon).size, 0);

describe.skipIf(skipReason)(`one build for four systems${skipReason ? ` (${skipReason})` : ""}`, () => {
  const platforms = ["linux-x64", "linux-arm64", "darwin-arm64", "win32-x64"] as const;
  let bundle = "";
  beforeAll(async () => {
    bundle = await builtFor(platforms);
  });

  const moved = (): string => {
    const copy = mkdtempSync(join(tmpdir(), "moved-"));
    cpSync(bundle, copy, { recursive: true });
    return copy;
  };

  const native = (platform: string) => ({ platform, twin: "native", twinReason: null, result: 64 });

  test("answers natively on each that runs here", async () => {
    const here = execFileSync(process.execPath, [join(moved(), "main.js")], { encoding: "utf8" });
    expect(JSON.parse(here)).toEqual(native("linux-x64"));
    const arm = await runArmNode([join(moved(), "main.js")], { cpu: "neoverse-n1" });
    expect(JSON.parse(arm.stdout || arm.stderr)).toEqual(native("linux-arm64"));
    const windows = await runWineNode(["main.js"], moved());
    expect(JSON.parse(windows.stdout || windows.stderr)).toEqual(native("win32-x64"));
  });

  test("has one addon for each, and as many bytes as four builds for one", async () => {
    const addons = addonsIn(bundle).map((path) => readFileSync(path));
    expect(addons.length).toBe(platforms.length);
    const apple = addons.filter((bytes) => bytes.readUInt32LE(0) === 0xfeed_facf);
    expect(apple.map(readMachO)).toMatchObject([{ processor: "arm64", libraries: ["/usr/lib/libSystem.B.dylib"] }]);
    let sum = 0;
    for (const platform of platforms) sum += sizeOf(await builtFor([platform]));
    expect(sizeOf(bundle)).toBe(sum);
  });
});
