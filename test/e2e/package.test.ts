// Package that `npm publish` would send: its users can build addons from the C files in it, find types for every entry,
// and need nothing else of this repository.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { beforeAll, expect, test } from "vitest";
import { inTurn } from "../support/long.ts";
import { installPacked, type Packed, packedBytes, packPackage } from "../support/packed-package.ts";

const turn = inTurn(2);

let packed: Packed;
beforeAll(() => {
  packed = packPackage();
});

test("the package has every C file that an addon is made of, and nothing of the tests", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) => /\.[ch]$/.test(path));
  expect(sources.length).toBeGreaterThan(0);
  expect(packed.files.filter((path) => path.includes("test"))).toEqual([]);
  expect(packed.files).toEqual(expect.arrayContaining(sources.map((path) => `src/${path.replaceAll("\\", "/")}`)));
});

test("the package has its licence, changes and front page, and no source maps", () => {
  expect(packed.files).toEqual(expect.arrayContaining(["LICENSE", "CHANGELOG.md", "README.md"]));
  expect(packed.files.filter((path) => path.endsWith(".map"))).toEqual([]);
});

test("koffi is installed only by projects that ask for it", () => {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync("package.json", "utf8"),
  );
  expect({ ...dependencies, ...optionalDependencies }).not.toHaveProperty("koffi");
  expect(peerDependencies).toHaveProperty("koffi");
  expect(peerDependenciesMeta.koffi).toEqual({ optional: true });
});

test("packages whose code is in the bundle are named with their licences", () => {
  const licences = readFileSync("dist/LICENSES.txt", "utf8").split("\n---\n\n");
  expect(packed.files).toContain("dist/LICENSES.txt");
  expect(licences.map((text) => text.split("\n")[0])).toEqual(expect.arrayContaining(["picomatch", "unplugin"]));
  // One publishes no text: it is Apache's, which others have.
  const named = licences.filter((text) => !/Copyright|MIT/.test(text)).map((text) => text.trim());
  expect(named).toEqual(["@sigstore/verify\n\nlicence Apache-2.0"]);
  expect(licences.join()).toContain("Apache License");
});

test("the esbuild of a host is ours too", () => {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  // Vite 6 has 0.25, Vite 7 0.27 or 0.28, Astro and tsup 0.27 or 0.28: one range for each.
  expect(dependencies.esbuild.split(" || ")).toEqual(expect.arrayContaining(["^0.25.0", "^0.27.0", "^0.28.0"]));
});

test("what the bundle imports is installed with it, and what it holds is not", () => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const texts = readdirSync("dist", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".js") && !path.startsWith("types") && !path.startsWith("test"))
    .map((path) => readFileSync(join("dist", path), "utf8"));
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/^(?:import|export) [^;]*?from ['"]([^.'"][^'"]*)['"]|import\(['"]([a-z@][^'"]*)['"]\)/gm)].map(
      (match) => match[1] ?? match[2]!,
    ),
  );
  const packages = imported
    .filter((name) => !isBuiltin(name))
    .map((name) =>
      name
        .split("/")
        .slice(0, name.startsWith("@") ? 2 : 1)
        .join("/"),
    );
  const known = new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies), "unplugin-kernel"]);
  expect([...new Set(packages)].filter((name) => !known.has(name))).toEqual([]);
  expect(packages).toContain("esbuild");
  expect(Object.keys(dependencies)).not.toContain("cacache");
});

turn("publint has nothing to say", async () => {
  const { buffer } = new Uint8Array(packedBytes(packed));
  const { messages } = await publint({ pack: { tarball: buffer }, strict: true });
  expect(messages).toEqual([]);
});

const attw = fileURLToPath(new URL("../tools/node_modules/@arethetypeswrong/core/dist/index.js", import.meta.url));
const noAttw = existsSync(attw) ? null : "not here: npm ci --prefix test/tools";

/**
 * A way in which TypeScript resolves: the package is ESM, so CommonJS has no use for it. That of Node 10, which is what `module: "commonjs"`
 * means up to TypeScript 5, finds the types by `typesVersions`: operators are bundled in programs of every kind.
 */
const unsupported = ["node16-cjs"];

turn.skipIf(noAttw)(`the types of every entry resolve${noAttw ? ` (${noAttw})` : ""}`, async () => {
  const { checkPackage, createPackageFromTarballData } = await import(attw);
  const { entrypoints, problems } = await checkPackage(createPackageFromTarballData(packedBytes(packed)));
  expect(Object.keys(entrypoints)).toContain("./vite");
  const own = (problems as readonly Readonly<Record<string, string>>[])
    .map(({ kind, entrypoint, fileName, resolutionKind, resolutionOption }) => ({
      kind,
      place: entrypoint ?? fileName,
      resolution: resolutionKind ?? resolutionOption ?? "any",
    }))
    .filter(({ resolution }) => !unsupported.includes(resolution));
  expect(own).toEqual([]);
});

const main = `import gemm from "./gemm.op.ts?tune=wasm";
console.log(JSON.stringify([...gemm(new Float32Array(64).fill(1), new Float32Array(64).fill(2)).subarray(0, 2)]));`;
const operator = `import { gemm } from "unplugin-kernel/ops";
export default gemm({ M: 8, N: 8, K: 8 });`;
const build = `import { build } from "esbuild";
import kernel from "unplugin-kernel/esbuild";
await build({ entryPoints: ["src/main.js"], bundle: true, platform: "node", format: "esm", outfile: "out/main.mjs",
  logLevel: "warning", plugins: [kernel({ mode: "frozen" })] });`;

turn("an empty project installs it, tunes, and builds from the lock", () => {
  const root = installPacked(packed);
  mkdirSync(join(root, "src"));
  for (const [name, text] of Object.entries({ "src/main.js": main, "src/gemm.op.ts": operator, "build.js": build }))
    writeFileSync(join(root, name), text);
  const run = (...args: readonly string[]): string =>
    execFileSync(process.execPath, args, { cwd: root, encoding: "utf8", stdio: "pipe" });
  const cli = join(root, "node_modules/unplugin-kernel/dist/cli.js");
  expect(JSON.parse(run(cli, "doctor", "--json"))).toHaveProperty("cpu");
  const tuned = JSON.parse(run(cli, "tune", "--json", "--seconds", "600", "--trials", "4"));
  expect(tuned.kernels).toMatchObject([{ origin: "tuned", error: null }]);
  run("build.js");
  expect(JSON.parse(run("out/main.mjs"))).toEqual([16, 16]);
});
