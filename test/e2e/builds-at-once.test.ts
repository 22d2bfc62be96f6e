// Two builds by Vite and one by Rollup at once, in processes of their own, on one store and one lock: while they tune, and frozen.

import { execFile } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { traceName } from "../../src/native/lock/measure-lock.ts";
import { readLockfile } from "../../src/tuner/lock/lockfile.ts";
import { storedItems } from "../../src/tuner/store/store-contents.ts";
import { writeProject } from "../cli/project.ts";
import { overlaps, readTrace } from "../support/measuring-trace.ts";

const run = promisify(execFile);

const options = (mode: string): string =>
  `{ root: import.meta.dirname, cacheDir: "store", mode: "${mode}", logLevel: "silent", budget: { seconds: 600, trials: 6 } }`;

/** Scripts that build the app into out/<name>. */
const scripts = (name: string, mode: string): string =>
  name === "rollup"
    ? `import { rollup } from "${import.meta.resolve("rollup")}";
import kernel from "unplugin-kernel/rollup";
const bundle = await rollup({ input: "src/main.js", plugins: [kernel(${options(mode)})] });
await bundle.write({ dir: "out/rollup", entryFileNames: "main.mjs" });
await bundle.close();
`
    : `import { build } from "${import.meta.resolve("vite")}";
import kernel from "unplugin-kernel/vite";
await build({ configFile: false, logLevel: "error", plugins: [kernel(${options(mode)})],
  build: { ssr: "src/main.js", outDir: "out/${name}", rollupOptions: { output: { entryFileNames: "main.mjs" } } } });
`;

const builds = ["vite-1", "vite-2", "rollup"];
const kernels = ["src/add.op.ts?tune=wasm", "src/gemm.op.ts?tune=wasm"];

const files = {
  "package.json": '{"name":"app","type":"module"}',
  "src/gemm.op.ts": `import { gemm } from "unplugin-kernel/ops";\nexport default gemm({ M: 16, N: 16, K: 16 });\n`,
  "src/add.op.ts": `import { compute, defineOp, tensor } from "unplugin-kernel/op";
export default defineOp({ N: 1024 }, ({ N }) => {
  const a = tensor("a", [N], "f32"), b = tensor("b", [N], "f32");
  return compute("c", [N], (i) => a(i).add(b(i)));
});
`,
  "src/main.js": `import gemm from "./gemm.op.ts?tune=wasm";
import add from "./add.op.ts?tune=wasm";
const filled = (length, value) => new Float32Array(length).fill(value);
console.log(JSON.stringify([gemm(filled(256, 1), filled(256, 1))[0], add(filled(1024, 1), filled(1024, 2))[0]]));
`,
};

let root = "";
const lockfile = (): string => join(root, "kernels.lock.json");
const trace = (): string => join(root, "store", traceName);
const node = (...args: readonly string[]) =>
  run(process.execPath, args, { cwd: root, env: { ...process.env, CI: "1" } });

async function buildAll(mode: string): Promise<void> {
  for (const name of builds) writeFileSync(join(root, `${name}-${mode}.mjs`), scripts(name, mode));
  await Promise.all(builds.map((name) => node(`${name}-${mode}.mjs`)));
}

const printed = (): Promise<readonly string[]> =>
  Promise.all(builds.map(async (name) => (await node(`out/${name}/main.mjs`)).stdout.trim()));

/** Entries and blobs of the store that are not whole. */
const broken = async (): Promise<readonly unknown[]> =>
  (await storedItems(join(root, "store"))).filter(({ kind }) => kind === "broken" || kind === "unreadable");

beforeAll(async () => {
  root = writeProject(files);
  mkdirSync(join(root, "store"));
  appendFileSync(trace(), "");
  await buildAll("tune");
});

describe("three builds at once", () => {
  test("that tune: each ships right kernels, the lock has both, the store is whole, and one at a time has measured", async () => {
    expect(await printed()).toEqual(builds.map(() => "[16,3]"));
    const content = await readLockfile(lockfile());
    expect(content.kind === "ok" && [...content.entries.keys()].sort()).toEqual(kernels);
    expect(await broken()).toEqual([]);
    const intervals = readTrace(trace());
    // Not one after the other, by a store that had it all.
    expect(new Set(intervals.map(({ process: which }) => which)).size).toBeGreaterThan(1);
    expect(overlaps(intervals)).toEqual([]);
  });

  test("that are frozen: the same kernels, of the lock, which stays as it is, and nothing is measured", async () => {
    const [lock, measured] = [lockfile(), trace()].map((file) => readFileSync(file, "utf8"));
    await buildAll("frozen");
    expect(await printed()).toEqual(builds.map(() => "[16,3]"));
    expect([lockfile(), trace()].map((file) => readFileSync(file, "utf8"))).toEqual([lock, measured]);
    expect(await broken()).toEqual([]);
  });
});
