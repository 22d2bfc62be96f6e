// The package's entries as bundlers get them: `unplugin-kernel` with all plugins, from dist/, in builds; and the plugins for Vite and Rolldown,
// whose builds warn of no slow plugin when it is this one that tunes.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { rolldown as bundle } from "rolldown";
import { build, createLogger } from "vite";
import { describe, expect, test, vi } from "vitest";
import rolldown from "../../../src/plugin/entries/rolldown.ts";
import vite from "../../../src/plugin/entries/vite.ts";
import { outputFiles, runMoved, writeApp } from "../../support/build-app.ts";
import { fakeKernel } from "../../support/fake-kernel.ts";
import { inTurn } from "../../support/long.ts";

const turn = inTurn(3);

type Kernel = typeof import("../../../src/plugin/entries/index.ts").default;
const kernel: Kernel = (await import(join(process.cwd(), "dist/index.js"))).default;

const operator = `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 16, N: 16, K: 16 });\n`;
const main = `import gemm from "./gemm.op.ts?tune=wasm";
  const ones = new Float32Array(256).fill(1);
  console.log(JSON.stringify(gemm(ones, ones)[255]));`;
const app = (): string => writeApp({ "src/main.js": main, "src/gemm.op.ts": operator });

describe("unplugin-kernel", () => {
  test("has the plugin of each bundler that has an entry of its own", () => {
    const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
    const names = ["bun", "esbuild", "farm", "rolldown", "rollup", "rsbuild", "rspack", "vite", "webpack"];
    expect(Object.keys(kernel).sort()).toEqual(names);
    expect(names.filter((name) => !(`./${name}` in exports))).toEqual([]);
  });

  turn("kernel.vite() builds", async () => {
    const root = app();
    const plugins = [kernel.vite({ mode: "predict", cacheDir: join(root, "store"), logLevel: "silent" })];
    await build({ root, configFile: false, logLevel: "silent", plugins, build: { ssr: "src/main.js", outDir: "out" } });
    expect(outputFiles(root)).toHaveLength(1);
    expect(runMoved(root)).toBe(16);
  });
});

/** As long as a tuning must last to be warned of: Rolldown names callbacks from a second on. */
const slowMs = 3_500;
vi.mock("../../../src/plugin/kernel/compile/compile-kernel.ts", () => ({
  loadForMisses: () => undefined,
  compileKernel: async () => {
    await wait(slowMs);
    return fakeKernel({ origin: "tuned" });
  },
}));

describe("a build that tunes for seconds warns of no slow plugin", () => {
  turn("by Vite", async () => {
    const root = app();
    const warnings: string[] = [];
    const warn = (line: string): void => void warnings.push(line);
    const customLogger = { ...createLogger("silent"), warn, warnOnce: warn };
    const plugins = [vite({ mode: "tune", logLevel: "silent" })];
    await build({ root, configFile: false, customLogger, plugins, build: { ssr: "src/main.js", outDir: "out" } });
    expect(warnings).toEqual([]);
  });

  turn("by Rolldown", async () => {
    const root = app();
    const codes: unknown[] = [];
    const onLog = (_level: unknown, { code }: { readonly code?: string }): void => void codes.push(code);
    const plugins = [rolldown({ root, mode: "tune", logLevel: "silent" })];
    const built = await bundle({ input: join(root, "src/main.js"), platform: "node", plugins, onLog });
    await built.write({ dir: join(root, "out") });
    await built.close();
    expect(codes).toEqual([]);
  });
});
