// docs/bytes.md: what an import costs a page. `UPDATE_BYTES=1 npx vitest run test/docs/bytes.test.ts` writes the table anew.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { targets } from "../../src/compiler/index.ts";
import type { Machine } from "../../src/native/machine/machine.ts";
import { compileKernel } from "../../src/plugin/kernel/compile/compile-kernel.ts";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";
import { writeApp } from "../support/build-app.ts";
import { createKernelPlugin } from "../support/kernel-plugin.ts";

const page = resolve(import.meta.dirname, "../../docs/bytes.md");

interface Import {
  readonly what: string;
  /** The operator files, as expressions of the library, and the query of each import. */
  readonly kernels: readonly (readonly [operator: string, query: string])[];
  /** Text of the page's program that uses `kernels`. */
  readonly use?: string;
  readonly options?: KernelPluginOptions;
}

const gemm = "gemm({ M: 512, N: 512, K: 512 })";
const sizes = [64, 96, 128, 160, 192, 224, 256, 288, 320, 352];
const imports: readonly Import[] = [
  { what: "a product of matrices, `?tune=wasm`", kernels: [[gemm, "tune=wasm"]] },
  { what: "the same, called with `.async`", kernels: [[gemm, "tune=wasm"]], use: "kernels[0].async(a, b);" },
  { what: "the same, `&threads=2`", kernels: [[gemm, "threads=2&tune=wasm"]] },
  { what: "the same, with weights to `pack`", kernels: [[`withConstants(${gemm}, "B")`, "tune=wasm"]] },
  { what: 'the same, option `engines: ["arm"]`', kernels: [[gemm, "tune=wasm"]], options: { engines: ["arm"] } },
  { what: "a score for each of 20,000 documents", kernels: [["gemv({ M: 20_000, K: 384 })", "tune=wasm"]] },
  { what: "the same, `&sync`", kernels: [["gemv({ M: 20_000, K: 384 })", "sync&tune=wasm"]] },
  { what: "softmax of 128 rows", kernels: [["softmax({ M: 128, N: 512 })", "tune=wasm"]] },
  {
    what: "a 3×3 convolution, 56×56×64 to 64",
    kernels: [["conv2d({ H: 56, W: 56, C: 64, F: 64, KH: 3, KW: 3, padding: 1 })", "tune=wasm"]],
  },
  { what: "ten products of other sizes", kernels: sizes.map((M) => [gemm, `M=${M}&tune=wasm`]) },
];

interface Bytes {
  /** Minified code, without the WASM that it holds. */
  readonly code: number;
  /** WASM in the code, decoded. */
  readonly wasm: number;
  /** Files beside the code. */
  readonly files: number;
  /** All, as servers send it. */
  readonly gzip: number;
}

const base64 = /"(AGFzbQ[A-Za-z0-9+/=]*)"/g;

/** Predicted schedules follow from the caches: those of a machine that does not tell its own, so that the page is the same for all. */
const machine: Machine = { platform: "linux-x64", features: [], caches: null, cores: 2 };

async function bytesOf({ kernels, use = "", options = {} }: Import, on = machine): Promise<Bytes> {
  const operators = kernels.map(([operator], at) => [
    `src/k${at}.op.ts`,
    `import { withConstants } from "unplugin-kernel/op";\nimport { conv2d, gemm, gemv, softmax } from "unplugin-kernel/ops";\nexport default ${operator};\n`,
  ]);
  const lines = kernels.map(([, query], at) => `import k${at} from "./k${at}.op.ts?${query}";`);
  const main = `${lines.join("\n")}\nconst kernels = globalThis.kernels = [${kernels.map((_, at) => `k${at}`).join(", ")}];\n${use}\n`;
  const root = writeApp({ "src/main.js": main, ...Object.fromEntries(operators) });
  const { esbuild } = createKernelPlugin((request, services) => compileKernel(request, { ...services, machine: on }));
  const plugin = esbuild({ root, mode: "predict", logLevel: "silent", ...options });
  await build({
    absWorkingDir: root,
    entryPoints: ["src/main.js"],
    outdir: "out",
    bundle: true,
    format: "esm",
    minify: true,
    plugins: [plugin],
  });
  const out = join(root, "out");
  const code = readFileSync(join(out, "main.js"), "utf8");
  const others = readdirSync(out).filter((name) => name !== "main.js");
  const modules = [...code.matchAll(base64)].map(([, text]) => Buffer.from(text!, "base64").length);
  return {
    code: code.replaceAll(base64, '""').length,
    wasm: modules.reduce((sum, length) => sum + length, 0),
    files: others.reduce((sum, name) => sum + statSync(join(out, name)).size, 0),
    gzip: gzipSync(code).length + others.reduce((sum, name) => sum + gzipSync(readFileSync(join(out, name))).length, 0),
  };
}

const kilobytes = (bytes: number): string => (bytes === 0 ? "–" : `${(bytes / 1000).toFixed(1)} kB`);

const rowOf = ({ what }: Import, { code, wasm, files, gzip }: Bytes): string =>
  `| ${what} | ${[code, wasm, files, gzip].map(kilobytes).join(" | ")} |`;

const measured = new Map<Import, Bytes>();
beforeAll(async () => {
  for (const it of imports) measured.set(it, await bytesOf(it));
  if (process.env.UPDATE_BYTES !== "1") return;
  const rows = [...measured].map(([it, bytes]) => rowOf(it, bytes)).join("\n");
  const text = readFileSync(page, "utf8");
  writeFileSync(page, text.replace(/(\| --- .*\n)[\s\S]*?\n\n/, `$1${rows}\n\n`));
});

const numbersOf = (row: string): readonly number[] =>
  row
    .split("|")
    .slice(2, -1)
    .map((cell) => (cell.trim() === "–" ? 0 : Number.parseFloat(cell)));

test.each(imports)("$what costs what docs/bytes.md says", (it) => {
  const row = readFileSync(page, "utf8")
    .split("\n")
    .find((line) => line.startsWith(`| ${it.what} |`));
  const [said, now] = [numbersOf(row ?? ""), numbersOf(rowOf(it, measured.get(it)!))];
  expect(said).toHaveLength(4);
  // A tenth: small changes of what all kernels share need no new table.
  for (const [at, bytes] of now.entries()) expect(Math.abs(bytes - said[at]!)).toBeLessThanOrEqual(0.1 + bytes * 0.1);
});

test("the page names the caches that its schedules are predicted for", () => {
  const { l1Bytes, l2Bytes, l3Bytes } = targets.wasm;
  const [l1, l2, l3] = [l1Bytes, l2Bytes, l3Bytes].map((bytes) => bytes / 1024);
  expect(readFileSync(page, "utf8").replaceAll("\n", " ")).toContain(`${l1} KB, ${l2} KB and ${l3} KB`);
});

test("another platform, other features and more cores predict the same code; other caches do not", async () => {
  const [product] = imports;
  const bytes = measured.get(product!)!;
  const other: Machine = { platform: "darwin-arm64", features: ["avx2", "fma"], caches: null, cores: 64 };
  expect(await bytesOf(product!, other)).toEqual(bytes);
  const caches = { l1Bytes: 48 * 1024, l2Bytes: 1024 * 1024, l3Bytes: 4096 * 1024 };
  expect((await bytesOf(product!, { ...machine, caches })).wasm).not.toBe(bytes.wasm);
});
