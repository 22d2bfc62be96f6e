// Programs that run from their sources: `node --import unplugin-kernel/register`, Bun, Deno.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { writeApp } from "../support/build-app.ts";
import { wasmSource } from "../support/fake-kernel.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(7);

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
    "package.json": JSON.stringify({
      type: "module",
      imports: { "#op/*": "./src/ops/*" },
      devDependencies: { "unplugin-kernel": "*" },
    }),
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
  turn.each(["./ops/gemm.op.ts?tune=wasm", "#op/gemm.op.ts?tune=wasm"])(
    "%s is a kernel, without a warning",
    (specifier) => {
      const said = run(app(specifier), { UNPLUGIN_KERNEL_MODE: "predict" });
      expect(said).toMatchObject({ status: 0, last: answer });
      expect(said.stderr).not.toMatch(/warning|deprecat/i);
      expect(said.stderr).toContain("1 kernel predicted");
    },
  );

  turn.each(["the option of the program", "NODE_OPTIONS"])(
    "a worker of the program has kernels by %s, and ends",
    (way) => {
      const root = app("#op/gemm.op.ts?tune=wasm");
      const body = `import { Worker } from "node:worker_threads";
      import gemm from "./ops/gemm.op.ts?tune=wasm";
      new Worker(new URL("./main.mjs", import.meta.url)).on("exit", (code) => console.log(gemm.info.twin, code));`;
      writeFileSync(join(root, "src/parent.mjs"), body);
      const options = way === "NODE_OPTIONS" ? { NODE_OPTIONS: "--import unplugin-kernel/register" } : {};
      const said = run(root, { UNPLUGIN_KERNEL_MODE: "predict", ...options }, root, "src/parent.mjs");
      expect(said, said.stderr).toMatchObject({ status: 0, stdout: `${answer}\n${twin} 0\n` });
    },
  );

  turn("makes one module of spellings of the same import, and leaves other modules their addresses", () => {
    const root = app("#op/gemm.op.ts?tune=wasm");
    const body = `import one from "#op/gemm.op.ts?tune=wasm&M=8";
      import two from "./ops/gemm.op.ts?M=8&tune=wasm";
      import own from "./own.mjs?x=1";
      import three from "./ops/gemm.op.ts?tune=wasm";
      console.log(JSON.stringify([one === two, one === three, own]));`;
    writeFileSync(join(root, "src/main.mjs"), body);
    writeFileSync(join(root, "src/own.mjs"), "export default import.meta.url;");
    const own = `${pathToFileURL(realpathSync(join(root, "src/own.mjs"))).href}?x=1`;
    expect(run(root, { UNPLUGIN_KERNEL_MODE: "predict" }).last).toBe(JSON.stringify([true, false, own]));
  });

  turn("shows callers' mistakes at their line", () => {
    const root = app("#op/gemm.op.ts?tune=wasm");
    writeFileSync(join(root, "src/main.mjs"), 'import gemm from "#op/gemm.op.ts?tune=wasm";\n\ngemm(1);\n');
    const { stderr } = run(root, { UNPLUGIN_KERNEL_MODE: "predict" });
    expect(stderr).toContain("gemm takes A, B");
    expect(stderr).toMatch(/at .*src\/main\.mjs:3:1\b/);
  });

  turn("tunes into the package's lock, whatever folder it is started in, and in production measures nothing", () => {
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

  turn("shows a mistake at the author's line, and no stack", () => {
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

  turn("gives kernels to `require`, once for each, addons too", () => {
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

  turn("knows an import whose query another hook has made a part of the path, as tsx does in CommonJS", () => {
    const root = app("#op/gemm.op.ts?tune=wasm");
    writeFileSync(
      join(root, "src/main.mjs"),
      main(`${pathToFileURL(join(root, "src/ops/gemm.op.ts")).href}%3Ftune=wasm`),
    );
    expect(run(root, { UNPLUGIN_KERNEL_MODE: "predict" })).toMatchObject({ status: 0, last: answer });
  });

  turn("tells `require` of a mistake at the author's line, and leaves what is no operator to Node", () => {
    const root = app("#op/gemm.op.ts?tune=wasm", operator.replace("K: 4", "k: 4"));
    writeFileSync(join(root, "src/main.cjs"), 'require("#op/gemm.op.ts?tune=wasm");');
    const mistake = run(root, {}, root, "src/main.cjs");
    expect(mistake.status).toBe(1);
    expect(mistake.stderr).toContain("expr.unknown-parameter: gemm has no parameter k");
    expect(mistake.stderr).not.toContain("    at ");
    writeFileSync(join(root, "src/main.cjs"), 'require("./main.mjs?tune=wasm");');
    expect(run(root, {}, root, "src/main.cjs").stderr).toContain("Cannot find module './main.mjs?tune=wasm'");
  });

  turn("says which modes there are", () => {
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

  turn.each(["./ops/gemm.op.ts?tune=wasm", "#op/gemm.op.ts?tune=wasm"])(
    "%s is a kernel by the preload",
    (specifier) => {
      expect(start(app(specifier), "unplugin-kernel/register").last).toBe(right);
    },
  );

  turn("takes the plugin of its builds, too", () => {
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

const deno = fileURLToPath(new URL("../tools/node_modules/.bin/deno", import.meta.url));
const noDeno = existsSync(deno) ? "" : " (no Deno: npm ci --prefix test/tools)";

describe.skipIf(noDeno !== "")(`Deno, from the sources${noDeno}`, () => {
  const preload = ["--preload", "npm:unplugin-kernel/register"];
  const start = (
    root: string,
    file: string,
    environment: Readonly<Record<string, string>>,
    args = ["run", "-A", ...preload],
  ) => {
    const { CI: _ci, NODE_ENV: _node, ...others } = process.env;
    const env = { ...others, NO_COLOR: "1", ...environment };
    const { stdout, stderr, status } = spawnSync(deno, [...args, file], { cwd: root, encoding: "utf8", env });
    return { status, stdout, last: stdout.trim().split("\n").at(-1)!, stderr };
  };
  const predict = { UNPLUGIN_KERNEL_MODE: "predict" };
  const right = JSON.stringify(["wasm-relaxed", 8, 8]);

  turn.each(["./ops/gemm.op.ts?tune=wasm", "#op/gemm.op.ts?tune=wasm"])(
    "%s is a kernel, in TypeScript too",
    (specifier) => {
      const root = app(specifier);
      writeFileSync(join(root, "src/main.ts"), `const typed: number = 1;\n${main(specifier)}`);
      const said = start(root, "src/main.ts", predict);
      expect(said).toMatchObject({ status: 0, last: right });
      expect(said.stderr).not.toMatch(/warning|deprecat/i);
    },
  );

  turn("tunes into the package's lock, and in production measures nothing", () => {
    const root = app("#op/gemm.op.ts?tune=wasm&trials=2");
    expect(start(root, "src/main.mjs", {})).toMatchObject({ status: 0, last: right });
    expect(existsSync(join(root, "kernels.lock.json"))).toBe(true);
    expect(existsSync(join(root, "node_modules/.cache/unplugin-kernel"))).toBe(true);
    const again = start(root, "src/main.mjs", { NODE_ENV: "production" });
    expect(again).toMatchObject({ status: 0, last: right });
    expect(again.stderr).toContain("1 kernel from kernels.lock.json, 0 measured");
    rmSync(join(root, "kernels.lock.json"));
    const missing = start(root, "src/main.mjs", { NODE_ENV: "production" });
    expect(missing.status).toBe(1);
    expect(missing.stderr).toContain("frozen.miss: src/ops/gemm.op.ts?tune=wasm is not in kernels.lock.json");
  });

  turn("runs addons, by `import` as by `require`, which still reads JSON", () => {
    const root = app("#op/gemm.op.ts?tune=native");
    expect(start(root, "src/main.mjs", predict)).toMatchObject({ status: 0, last: JSON.stringify(["native", 8, 8]) });
    const body = `const native = require("#op/gemm.op.ts?tune=native").default;
      const wasm = require("./ops/gemm.op.ts?tune=wasm").default;
      const same = require("#op/gemm.op.ts?tune=wasm").default === wasm;
      console.log(JSON.stringify([native.info.twin, wasm.info.twin, same, require("./data.json")]));`;
    writeFileSync(join(root, "src/main.cjs"), body);
    writeFileSync(join(root, "src/data.json"), '{ "a": 1 }');
    expect(start(root, "src/main.cjs", predict).last).toBe(JSON.stringify(["native", "wasm-relaxed", true, { a: 1 }]));
  });

  it("shows a mistake at the author's line, and no stack", () => {
    const root = app("./ops/gemm.op.ts?tune=wasm", operator.replace("K: 4", "k: 4"));
    const { status, stderr } = start(root, "src/main.mjs", {});
    expect(status).toBe(1);
    expect(stderr).toContain("expr.unknown-parameter: gemm has no parameter k");
    expect(stderr).toContain("src/ops/gemm.op.ts:2:16");
    expect(stderr).not.toContain("    at ");
  });

  turn("has kernels in a worker that imports the hooks itself", () => {
    const root = app("./ops/gemm.op.ts?tune=wasm");
    writeFileSync(join(root, "src/worker.mjs"), 'import "unplugin-kernel/register";\nawait import("./main.mjs");');
    const body = `import { Worker } from "node:worker_threads";
      new Worker(new URL("./worker.mjs", import.meta.url)).on("exit", (code) => console.log(code));`;
    writeFileSync(join(root, "src/parent.mjs"), body);
    expect(start(root, "src/parent.mjs", predict)).toMatchObject({ status: 0, stdout: `${right}\n0\n` });
  });

  turn("has kernels in `deno test`", () => {
    const root = app("./ops/gemm.op.ts?tune=wasm");
    const body = `import gemm from "./ops/gemm.op.ts?tune=wasm";
      Deno.test("gemm", () => console.log(gemm.info.twin));`;
    writeFileSync(join(root, "src/gemm_test.ts"), body);
    const said = start(root, "src/gemm_test.ts", predict, ["test", "-A", "--no-check", ...preload]);
    expect([said.status, said.stdout]).toEqual([0, expect.stringContaining("wasm-relaxed")]);
  });
});
