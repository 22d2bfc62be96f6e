// docs/bytes.md: what an import costs a page. `UPDATE_BYTES=1 npx vitest run test/docs/bytes.test.ts` writes the tables anew.

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { targets } from "../../src/compiler/index.ts";
import type { Machine } from "../../src/native/machine/machine.ts";
import { inTurn } from "../support/long.ts";
import { machineWithoutCaches, type PageBytes, type PageImports, pageBytes } from "../support/page-bytes.ts";

const page = resolve(import.meta.dirname, "../../docs/bytes.md");

interface Import extends PageImports {
  readonly what: string;
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

/** Ten kernels of the library, by the queries of their imports. */
const ten = [
  gemm,
  "gemv({ M: 20_000, K: 384 })",
  "softmax({ M: 128, N: 512 })",
  "layerNorm({ M: 128, N: 768 })",
  "rmsNorm({ M: 128, N: 768 })",
  "attention({ heads: 4, M: 128, N: 128, D: 64 })",
  "conv2d({ H: 56, W: 56, C: 64, F: 64, KH: 3, KW: 3, padding: 1 })",
  "depthwiseConv2d({ H: 56, W: 56, C: 64, KH: 3, KW: 3, padding: 1 })",
  "maxPool2d({ H: 56, W: 56, C: 64, size: 2, stride: 2 })",
  "variance({ M: 1024, N: 1024 })",
];
const tens: readonly Import[] = ["tune=wasm", "tune=webgpu", "fallback=none&tune=webgpu"].map((query) => ({
  what: `\`?${query}\``,
  kernels: ten.map((operator) => [operator, query]),
}));

const kilobytes = (bytes: number): string => (bytes === 0 ? "–" : `${(bytes / 1000).toFixed(1)} kB`);

/** Cells of a row, by its table. */
const rows: readonly (readonly [readonly Import[], (bytes: PageBytes) => readonly number[]])[] = [
  [imports, ({ code, wasm, files, gzip }) => [code, wasm, files, gzip]],
  [tens, ({ code, wgsl, wasm, script, gzip, brotli }) => [code, wgsl, wasm, script, gzip, brotli]],
];
const all = rows.flatMap(([table, cells]) => table.map((it) => ({ ...it, it, cells })));

const measured = new Map<Import, PageBytes>();
/** Bytes of a page with these imports; each is built once. */
async function bytesOf(it: Import): Promise<PageBytes> {
  if (!measured.has(it)) measured.set(it, await pageBytes(it));
  return measured.get(it)!;
}

beforeAll(async () => {
  if (process.env.UPDATE_BYTES !== "1") return;
  for (const { it } of all) await bytesOf(it);
  let text = readFileSync(page, "utf8");
  for (const { it, what, cells } of all) {
    const row = `| ${[what, ...cells(measured.get(it)!).map(kilobytes)].join(" | ")} |`;
    text = text.replace(`\n| ${what} |`, `\n${row}\0`).replace(/\0.*/, "");
  }
  writeFileSync(page, text);
});

const numbersOf = (row: string): readonly number[] =>
  row
    .split("|")
    .slice(2, -1)
    .map((cell) => (cell.trim() === "–" ? 0 : Number.parseFloat(cell)));

inTurn(6).each(all)("$what costs what docs/bytes.md says", async ({ it, what, cells }) => {
  const row = readFileSync(page, "utf8")
    .split("\n")
    .find((line) => line.startsWith(`| ${what} |`));
  const [said, now] = [numbersOf(row ?? ""), cells(await bytesOf(it)).map((bytes) => bytes / 1000)];
  expect(said).toHaveLength(now.length);
  // A tenth: small changes of what all kernels share need no new table.
  for (const [at, bytes] of now.entries()) expect(Math.abs(bytes - said[at]!)).toBeLessThanOrEqual(0.1 + bytes * 0.1);
});

const turn = inTurn(2);

turn("ten kernels with WebGPU take 30 kB at most, as servers send them", async () => {
  const [, both, alone] = tens;
  expect((await bytesOf(both!)).brotli).toBeLessThanOrEqual(30_000);
  expect((await bytesOf(alone!)).gzip).toBeLessThanOrEqual(30_000);
});

test("the page names the caches that its schedules are predicted for", () => {
  const { l1Bytes, l2Bytes, l3Bytes } = targets.wasm;
  const [l1, l2, l3] = [l1Bytes, l2Bytes, l3Bytes].map((bytes) => bytes / 1024);
  expect(readFileSync(page, "utf8").replaceAll("\n", " ")).toContain(`${l1} KB, ${l2} KB and ${l3} KB`);
});

turn("another platform, other features and more cores predict the same code; other caches do not", async () => {
  const [product] = imports;
  const bytes = await bytesOf(product!);
  const other: Machine = { platform: "darwin-arm64", features: ["avx2", "fma"], caches: null, cores: 64 };
  expect(await pageBytes(product!, other)).toEqual(bytes);
  const caches = { l1Bytes: 48 * 1024, l2Bytes: 1024 * 1024, l3Bytes: 4096 * 1024 };
  expect((await pageBytes(product!, { ...machineWithoutCaches, caches })).wasm).not.toBe(bytes.wasm);
});
