// One build for four systems: a copy of the bundle answers natively on three of them (Linux on x64; on ARM, emulated; Windows, under Wine). macOS
// runs nowhere here, and its addon is read.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";
import { armSkipReason, runArmNode } from "../arm/arm-node.ts";
import { project } from "../native/compiled.ts";
import { bundleApp, linkedApp } from "../support/bundled-app.ts";
import { readMachO } from "../support/mach-o.ts";
import { runWineNode, wineSkipReason } from "./wine-node.ts";

const skipReason = wineSkipReason ?? armSkipReason;

const main = `import gemm from "./gemm.op.ts?tune=avx2";
const [A, B] = [new Float32Array(1024).fill(1), new Float32Array(1024).fill(2)];
const { twin, twinReason } = gemm.info;
console.log(JSON.stringify({ platform: process.platform + "-" + process.arch, twin, twinReason, result: gemm(A, B)[7] }));
`;

/** Builds with nothing but zig, and returns the folder of the bundle. */
function builtFor(platforms: KernelPluginOptions["platforms"]): Promise<string> {
  const operator = `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 32, N: 32, K: 32 });\n`;
  const files = { "main.js": main, "gemm.op.ts": operator };
  const root = linkedApp(files, { "@zigc": join(project, "node_modules/@zigc") });
  return bundleApp(root, { mode: "predict", platforms: platforms! });
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
