// Inner loops of products for 64-bit ARM beside those of OpenBLAS and XNNPACK, by what they are made of: instructions and bytes loaded for each
// instruction that multiplies. Counts, no times: nothing runs. Ours are the eight schedules that the prior likes best, by each compiler for ARM
// that is here (gcc of Debian, zig of ZIG_PROJECT); theirs are the kernels that they take on a Neoverse N1, out of Debian's packages for arm64:
//
//     dpkg --add-architecture arm64 && apt-get update
//     (mkdir -p out/arm-peers && cd out/arm-peers && apt-get download libopenblas0-pthread:arm64 libxnnpack0:arm64 &&
//      for package in *.deb; do dpkg -x "$package" .; done)
//     npm run bench:arm-counts

import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { detectToolchains } from "../../src/native/toolchain/detect.ts";
import type { Toolchain } from "../../src/native/toolchain/toolchain.ts";
import { textTable } from "../../src/tuner/report/text-table.ts";
import { firstProducts, type ProductTypes } from "../arm/first-products.ts";
import { inTempDir, project } from "../native/compiled.ts";
import { type ArmMix, assemblerOfDisassembly, mainMix } from "../support/arm-mix.ts";
import { assemblerOf } from "../support/assembler.ts";
import { codeCommit } from "../support/code-commit.js";

const peers = "out/arm-peers/usr/lib/aarch64-linux-gnu";
const libraries = {
  OpenBLAS: join(peers, "openblas-pthread/libopenblasp-r0.3.21.so"),
  XNNPACK: join(peers, "libXNNPACK.so.0"),
};

interface PeerKernel {
  readonly library: keyof typeof libraries;
  readonly name: string;
}

interface Product {
  readonly target: "neon" | "neon-dot" | "neon-i8mm";
  readonly dtype: ProductTypes["dtype"];
  readonly peers: readonly PeerKernel[];
}

/** XNNPACK takes the kernels for Cortex-A75 on a Neoverse N1, and those that load 16 bytes where it has no such. */
const products: readonly Product[] = [
  {
    target: "neon",
    dtype: "f32",
    peers: [
      { library: "OpenBLAS", name: "sgemm_kernel_NEOVERSEN1" },
      { library: "XNNPACK", name: "xnn_f32_gemm_minmax_ukernel_5x8__aarch64_neonfma_cortex_a75" },
      { library: "XNNPACK", name: "xnn_f32_gemm_minmax_ukernel_6x8__aarch64_neonfma_ld64" },
    ],
  },
  { target: "neon", dtype: "f64", peers: [{ library: "OpenBLAS", name: "dgemm_kernel_NEOVERSEN1" }] },
  {
    target: "neon-dot",
    dtype: "i8",
    peers: [{ library: "XNNPACK", name: "xnn_qs8_gemm_minmax_fp32_ukernel_4x16c4__aarch64_neondot_ld128" }],
  },
  // Debian's XNNPACK has no kernels by smmla, nor any for bf16.
  { target: "neon-i8mm", dtype: "i8", peers: [] },
  { target: "neon-i8mm", dtype: "bf16", peers: [] },
];

function disassemblyOf({ library, name }: PeerKernel): string | null {
  const path = libraries[library];
  if (!existsSync(path)) return null;
  const args = ["-d", "--no-show-raw-insn", `--disassemble=${name}`, path];
  return execFileSync("aarch64-linux-gnu-objdump", args, { encoding: "utf8", maxBuffer: 1 << 28 });
}

const share = (part: number, whole: number): string => (part / whole).toFixed(2);

const cells = (mix: ArmMix): readonly string[] => [
  String(mix.multiplying),
  share(mix.instructions, mix.multiplying),
  share(mix.instructions - mix.prefetching, mix.multiplying),
  share(mix.loading, mix.multiplying),
  (mix.loadedBytes / mix.multiplying).toFixed(1),
];

interface Row {
  readonly product: string;
  readonly kernel: string;
  readonly mix: ArmMix;
}

async function ownRows({ target, dtype }: Product, toolchain: Toolchain): Promise<readonly Row[]> {
  const mixes: ArmMix[] = [];
  for (const source of firstProducts(target, { dtype }, 8)) {
    const mix = await inTempDir(async (folder) => mainMix(assemblerOf(source, toolchain, folder)));
    if (mix) mixes.push(mix);
  }
  const perProduct = ({ instructions, multiplying }: ArmMix): number => instructions / multiplying;
  mixes.sort((one, other) => perProduct(one) - perProduct(other));
  const named = { best: mixes[0], median: mixes[Math.floor((mixes.length - 1) / 2)] };
  return Object.entries(named).flatMap(([which, mix]) =>
    mix
      ? [{ product: `${dtype}, ${target}`, kernel: `ours by ${toolchain.family}, ${which} of ${mixes.length}`, mix }]
      : [],
  );
}

function peerRows({ dtype, target, peers: kernels }: Product): readonly Row[] {
  return kernels.flatMap((kernel) => {
    const text = disassemblyOf(kernel);
    const mix = text && mainMix(assemblerOfDisassembly(text));
    if (!mix) console.log(`not found: ${kernel.library}: ${kernel.name} (${libraries[kernel.library]})`);
    return mix ? [{ product: `${dtype}, ${target}`, kernel: `${kernel.library}: ${kernel.name}`, mix }] : [];
  });
}

const toolchains = await detectToolchains({ project, platform: "linux-arm64" }, ["gcc", "zig"]);
if (toolchains.length === 0) throw new Error("no compiler for arm64: apt-get install gcc-aarch64-linux-gnu");
const rows: Row[] = [];
for (const product of products) {
  for (const toolchain of toolchains) rows.push(...(await ownRows(product, toolchain)));
  rows.push(...peerRows(product));
}
const compilers = toolchains.map(({ family, version }) => `${family} ${version}`);
console.log(`${compilers.join(", ")}; for each instruction that multiplies:\n`);
console.log(
  textTable(
    ["product", "kernel", "products", "instructions", "without prefetches", "loads", "bytes loaded"],
    rows.map(({ product, kernel, mix }) => [product, kernel, ...cells(mix)]),
  ),
);
const record = { date: new Date().toISOString(), commit: codeCommit(), compilers, rows };
appendFileSync("test/bench/arm-counts.jsonl", `${JSON.stringify(record)}\n`);
