// The command line on Windows: what the machine has, names of kernels and places, paths with spaces, letters of drives in both cases.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cpuName } from "../../../src/native/machine/cpu-name.ts";
import { bestTargetName, detectMachine } from "../../../src/native/machine/machine.ts";
import { hostSkipNote, hostSkipReason, type WindowsProject, windowsProject } from "./windows-project.ts";

const plain = `import gemm from "./ops/gemm.op.ts?tune=wasm";
const ones = new Float32Array(64 * 64).fill(1);
console.log(gemm(ones, ones)[0]);
`;

describe.skipIf(hostSkipReason)(`the command line on Windows, under Wine${hostSkipNote}`, () => {
  let project: WindowsProject;
  beforeAll(async () => {
    project = await windowsProject();
    const other = join(project.root, "../new one");
    mkdirSync(other);
    writeFileSync(join(other, "package.json"), JSON.stringify({ type: "module", devDependencies: { vite: "*" } }));
    writeFileSync(join(other, "vite.config.js"), "export default {};\n");
  });
  afterAll(() => project?.close());

  async function answerOf(...args: readonly string[]) {
    const { status, stdout, stderr } = await project.command(...args);
    expect([status, stderr]).toEqual([0, ""]);
    return stdout;
  }

  test("says its version", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(await answerOf("--version")).toMatch(`unplugin-kernel/${version} win32-x64 node-v`);
  });

  test("knows the CPU as Linux does, and what it builds", async () => {
    const told = JSON.parse(await answerOf("doctor", "--json"));
    const here = detectMachine();
    expect(told).toMatchObject({ platform: "win32-x64", caches: here.caches, native: bestTargetName(here) });
    expect(here.features).toEqual(expect.arrayContaining(told.features));
    expect(told.compilers).toMatchObject([{ family: "zig", version: "0.16.0" }]);
    const avx2 = told.targets.find(({ target }: { target: string }) => target === "avx2");
    expect(avx2).toEqual({ target: "avx2", builds: true, runs: true, why: null });
    expect(told.project.store).toMatch(/^node_modules\/\.cache\/unplugin-kernel, /);
  });

  test("names the CPU as Linux does", async () => {
    const program = `import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
      const probe = { exports: {} };
      process.dlopen(probe, "C:\\\\my project\\\\node_modules\\\\unplugin-kernel\\\\src\\\\native\\\\machine\\\\windows-probe.node");
      console.log(probe.exports.signature);`;
    const { stdout } = await project.node(["--input-type=module", "-e", program]);
    const { cpuNameOfSignature } = await import("../../../src/native/machine/cpu-name.ts");
    expect(cpuNameOfSignature("", Number(stdout))).toBe(cpuName().slice(cpuName().indexOf(" (")));
  });

  test.each([
    "ops\\gemm.op.ts",
    "ops/gemm.op.ts",
    "C:\\my project\\ops\\gemm.op.ts",
    "c:\\my project\\ops\\gemm.op.ts",
  ])("finds the kernel of %s, whose name has slashes", async (name) => {
    const { kernel } = JSON.parse(await answerOf("inspect", `${name}?tune=wasm`, "--json"));
    expect(kernel).toBe("ops/gemm.op.ts?tune=wasm");
  });

  test.each(["C:\\my project", "c:\\my project", "c:/my project/"])("takes %s for the project", async (root) => {
    const { kernel } = JSON.parse(await answerOf("inspect", "ops/gemm.op.ts?tune=wasm", "--json", "--root", root));
    expect(kernel).toBe("ops/gemm.op.ts?tune=wasm");
  });

  test("lists what is in the store", async () => {
    expect(await answerOf("cache", "ls")).toMatch(/^\| decisions +\| +1 \|/m);
  });

  test("puts the plugin into the configuration of a project", async () => {
    const said = await answerOf("init", "--root", "C:\\new one", "--host", "vite");
    expect(said).toContain("edited vite.config.js: the plugin");
    const folder = join(project.root, "../new one");
    expect(readFileSync(join(folder, "vite.config.js"), "utf8")).toContain("plugins: [kernel()]");
    expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).imports).toEqual({
      "#op/*": "./src/kernels/*",
    });
  });

  test("runs operators without a bundler", async () => {
    writeFileSync(join(project.root, "plain.js"), plain);
    const { stdout, stderr } = await project.node(["--import", "unplugin-kernel/register", "plain.js"], {
      UNPLUGIN_KERNEL_MODE: "predict",
    });
    expect(stdout.trim() || stderr).toBe("64");
  });
});
