// Programs that run from their sources: `node --import unplugin-kernel/register`.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { writeApp } from "../support/build-app.ts";
import { wasmSource } from "../support/fake-kernel.ts";

const own = fileURLToPath(new URL("../..", import.meta.url));

const operator = `import { gemm } from "unplugin-kernel/ops";
export default gemm({ M: 4, N: 4, K: 4 });
`;
const main = (specifier: string): string => `import gemm from "${specifier}";
  const [A, B] = [new Float32Array(16).fill(1), new Float32Array(16).fill(2)];
  console.log(JSON.stringify([gemm.info.twin, gemm(A, B)[0], (await gemm.async(A, B))[15]]));
`;

function app(specifier: string, op = operator): string {
  const root = writeApp({
    "package.json": '{ "type": "module", "imports": { "#op/*": "./src/ops/*" } }',
    "src/main.mjs": main(specifier),
    "src/ops/gemm.op.ts": op,
  });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(own, join(root, "node_modules/unplugin-kernel"), "junction");
  return root;
}

function run(root: string, environment: Readonly<Record<string, string>>, cwd = root, file = "src/main.mjs") {
  const { CI: _ci, NODE_ENV: _node, ...others } = process.env;
  const main = join(root, file);
  const env = { ...others, ...environment };
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--import", "unplugin-kernel/register", main], {
    cwd,
    encoding: "utf8",
    env,
  });
  return { status, stderr, stdout, last: stdout.trim().split("\n").at(-1)! };
}

/** The twin that this engine runs: Node 20 has no relaxed SIMD. */
const twin = WebAssembly.validate(wasmSource(true).bytes) ? "wasm-relaxed" : "wasm";
const answer = JSON.stringify([twin, 8, 8]);

describe("node --import unplugin-kernel/register", () => {
  it.each(["./ops/gemm.op.ts?tune=wasm", "#op/gemm.op.ts?tune=wasm"])("%s is a kernel", (specifier) => {
    const root = app(specifier);
    expect(run(root, { UNPLUGIN_KERNEL_MODE: "predict" })).toMatchObject({ status: 0, last: answer });
  });

  it("tunes into the package's lock, whatever folder it is started in, and in production measures nothing", () => {
    const root = app("#op/gemm.op.ts?tune=wasm&trials=2");
    const first = run(root, {}, join(root, "src"));
    expect(first).toMatchObject({ status: 0, last: answer });
    expect(first.stderr).not.toContain("could not be written");
    expect(existsSync(join(root, "kernels.lock.json"))).toBe(true);
    expect(existsSync(join(root, "node_modules/.cache/unplugin-kernel"))).toBe(true);
    const again = run(root, { NODE_ENV: "production" });
    expect(again).toMatchObject({ status: 0, last: answer });
    expect(again.stdout + again.stderr).toContain("1 kernel from kernels.lock.json, 0 measured");
    rmSync(join(root, "kernels.lock.json"));
    const missing = run(root, { NODE_ENV: "production" });
    expect(missing.status).toBe(1);
    expect(missing.stderr).toContain("frozen.miss: src/ops/gemm.op.ts?tune=wasm is not in kernels.lock.json");
  });

  it("shows a mistake at the author's line, and no stack", () => {
    const { status, stderr } = run(app("./ops/gemm.op.ts?tune=wasm", operator.replace("K: 4", "k: 4")), {});
    expect(status).toBe(1);
    expect(stderr).toContain("expr.unknown-parameter: gemm has no parameter k");
    expect(stderr).toContain("src/ops/gemm.op.ts:2:16");
    expect(stderr).not.toContain("    at ");
  });

  it("refuses a script that is no operator file, as bundlers do", () => {
    const root = app("./plain.mjs?tune=wasm");
    writeFileSync(join(root, "src/plain.mjs"), "export default 1;");
    const { status, stderr } = run(root, { UNPLUGIN_KERNEL_MODE: "predict" });
    expect([status, stderr]).toEqual([1, expect.stringContaining("request.not-included: ")]);
    expect(stderr).toContain('plain.mjs?tune=wasm" asks for a kernel, and the file is no operator file');
  });

  it("gives kernels to `require`, once for each, addons too", () => {
    const root = app("#op/gemm.op.ts?tune=wasm");
    const body = `const { default: gemm } = require("#op/gemm.op.ts?tune=wasm");
      const same = require("./ops/gemm.op.ts?tune=wasm").default === gemm;
      const native = require("#op/gemm.op.ts?tune=native").default;
      const [A, B] = [new Float32Array(16).fill(1), new Float32Array(16).fill(2)];
      gemm.async(A, B).then((C) =>
        console.log(JSON.stringify([gemm.info.twin, gemm(A, B)[0], C[15], same, native(A, B)[0]])));`;
    writeFileSync(join(root, "src/main.cjs"), body);
    const said = run(root, { UNPLUGIN_KERNEL_MODE: "predict" }, root, "src/main.cjs");
    expect(said).toMatchObject({ status: 0, last: JSON.stringify([twin, 8, 8, true, 8]) });
    expect(said.stderr).toContain("1 kernel predicted");
  });

  it("knows an import whose query another hook has made a part of the path, as tsx does in CommonJS", () => {
    const root = app("#op/gemm.op.ts?tune=wasm");
    writeFileSync(
      join(root, "src/main.mjs"),
      main(`${pathToFileURL(join(root, "src/ops/gemm.op.ts")).href}%3Ftune=wasm`),
    );
    expect(run(root, { UNPLUGIN_KERNEL_MODE: "predict" })).toMatchObject({ status: 0, last: answer });
  });

  it("tells `require` of a mistake at the author's line, and leaves what is no operator to Node", () => {
    const root = app("#op/gemm.op.ts?tune=wasm", operator.replace("K: 4", "k: 4"));
    writeFileSync(join(root, "src/main.cjs"), 'require("#op/gemm.op.ts?tune=wasm");');
    const mistake = run(root, {}, root, "src/main.cjs");
    expect(mistake.status).toBe(1);
    expect(mistake.stderr).toContain("expr.unknown-parameter: gemm has no parameter k");
    expect(mistake.stderr).not.toContain("    at ");
    writeFileSync(join(root, "src/main.cjs"), 'require("./main.mjs?tune=wasm");');
    expect(run(root, {}, root, "src/main.cjs").stderr).toContain("Cannot find module './main.mjs?tune=wasm'");
  });

  it("says which modes there are", () => {
    const { status, stderr } = run(app("./ops/gemm.op.ts?tune=wasm"), { UNPLUGIN_KERNEL_MODE: "fast" });
    expect(status).not.toBe(0);
    expect(stderr).toContain('option mode is "fast"');
  });
});

const bun = fileURLToPath(new URL("../tools/node_modules/.bin/bun", import.meta.url));
const noBun = existsSync(bun) ? "" : " (no Bun: npm ci --prefix test/tools)";

describe.skipIf(noBun !== "")(`Bun, from the sources${noBun}`, () => {
  const start = (root: string, preload: string) => {
    const { CI: _ci, ...others } = process.env;
    const env = { ...others, UNPLUGIN_KERNEL_MODE: "predict" };
    const { stdout, stderr } = spawnSync(bun, ["run", "--preload", preload, "src/main.mjs"], {
      cwd: root,
      encoding: "utf8",
      env,
    });
    return { last: stdout.trim().split("\n").at(-1)!, stderr };
  };
  const right = JSON.stringify(["wasm-relaxed", 8, 8]);

  it.each(["./ops/gemm.op.ts?tune=wasm", "#op/gemm.op.ts?tune=wasm"])("%s is a kernel by the preload", (specifier) => {
    expect(start(app(specifier), "unplugin-kernel/register").last).toBe(right);
  });

  it("takes the plugin of its builds, too", () => {
    const root = app("#op/gemm.op.ts?tune=wasm");
    const preload = `import { plugin } from "bun";
      import kernel from "unplugin-kernel/bun";
      plugin(kernel({ mode: "predict" }));\n`;
    writeFileSync(join(root, "preload.ts"), preload);
    expect(start(root, "./preload.ts").last).toBe(right);
  });

  it("shows a mistake at the author's line", () => {
    const root = app("./ops/gemm.op.ts?tune=wasm", operator.replace("K: 4", "k: 4"));
    expect(start(root, "unplugin-kernel/register").stderr).toContain("expr.unknown-parameter: gemm has no parameter k");
  });
});
