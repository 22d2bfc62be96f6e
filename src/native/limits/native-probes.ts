// Loops in assembler that do nothing but one kind of arithmetic, on values that stay in registers, and loops in C that read a
// buffer: what the limits of a core are measured with. Compilers would keep some of so many sums in memory.
//
//   1: vfmadd213ps c, c, s0   vfmadd213ps c, c, s1   …   vfmadd213ps c, c, s13   decrement   jump to 1
//
// No sum waits for another.

import type { CpuTarget, CSource, KernelParameter } from "../../compiler/index.ts";
import type { RateName } from "./machine-limits.ts";

export interface Probe {
  readonly source: CSource;
  /** Work of one run, in the rate's unit (operations, or bytes read). */
  readonly count: number;
}

/**
 * Number of sums that a loop keeps in registers. With the constant and AVX2's 16 registers, 14 hide a latency of three
 * cycles at four instructions a cycle.
 */
const sums = 14;
const steps = 20_000;

interface Kind {
  readonly rate: RateName;
  /** Operations of one statement for each four bytes of a vector. */
  readonly count: number;
  /** Features beside those that all targets have. */
  readonly feature?: string;
  /** Instructions on the sums and the constant, for as many statements as there are sums or half as many. */
  readonly lines: (sums: readonly string[], constant: string) => readonly string[];
  readonly statements?: number;
}

type Lines = Kind["lines"];

/** The sums take turns with instructions that add the constant to a sum, or multiply it, or both. */
const turns =
  (...instructions: readonly string[]): Lines =>
  (all, constant) =>
    all.map((sum, at) => {
      const instruction = instructions[at % instructions.length]!;
      const isFused = /^v(fmadd|pdpbusd|dpbf16ps)/.test(instruction);
      return `${instruction} ${constant}, ${isFused ? constant : sum}, ${sum}`;
    });

/** Half of the registers take products, and are then added to the other half. */
const productsAndSums: Lines = (all, constant) => {
  const half = all.length / 2;
  const [products, added] = [all.slice(0, half), all.slice(half)];
  return [
    ...products.map((product) => `vpmaddwd ${constant}, ${constant}, ${product}`),
    ...products.map((product, at) => `vpaddd ${product}, ${added[at]}, ${added[at]}`),
  ];
};
const products: Pick<Kind, "lines" | "statements"> = { lines: productsAndSums, statements: sums / 2 };

const kinds: readonly Kind[] = [
  { rate: "f64.multiply", count: 0.5, lines: turns("vfmadd213pd") },
  // Cores that multiply and add in different units do both at once.
  { rate: "f64.any", count: 0.5, lines: turns("vfmadd213pd", "vaddpd") },
  { rate: "f32.multiply", count: 1, lines: turns("vfmadd213ps") },
  { rate: "f32.any", count: 1, lines: turns("vfmadd213ps", "vaddps") },
  { rate: "i32.multiply", count: 1, lines: turns("vpmulld") },
  { rate: "i32.any", count: 1, lines: turns("vpaddd") },
  { rate: "i16.multiply", count: 2, lines: turns("vpmullw") },
  { rate: "i16.any", count: 2, lines: turns("vpaddw") },
  { rate: "i8.any", count: 4, lines: turns("vpaddb") },
  { rate: "i16.dot", count: 2, ...products },
  // Without an instruction of their own bytes are widened when they are packed.
  { rate: "i8.dot", count: 2, ...products },
  { rate: "i8.dot", count: 4, feature: "avx512vnni", lines: turns("vpdpbusd") },
  { rate: "bf16.dot", count: 2, feature: "avx512bf16", lines: turns("vdpbf16ps") },
];

/** Products of whole tiles, as many sums as kernels keep. */
const tiles = [
  { rate: "i8.dot", instruction: "tdpbusd", feature: "amx-int8", products: 16 * 16 * 64 },
  { rate: "bf16.dot", instruction: "tdpbf16ps", feature: "amx-bf16", products: 16 * 16 * 32 },
] as const;

/** One probe for each rate that the target has an instruction for: of several the last one, which does most. */
export function arithmeticProbes(target: CpuTarget): ReadonlyMap<RateName, Probe> {
  const has = (feature: string | undefined): boolean => feature === undefined || target.features.includes(feature);
  return new Map<RateName, Probe>([
    ...kinds.filter(({ feature }) => has(feature)).map((kind) => [kind.rate, vectorProbe(target, kind)] as const),
    ...tiles.filter(({ feature }) => has(feature)).map((kind) => [kind.rate, tileProbe(target, kind)] as const),
  ]);
}

const each = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(" ");

function vectorProbe(target: CpuTarget, { rate, count, lines: linesOf, statements = sums }: Kind): Probe {
  const { vectorBytes } = target;
  const register = (at: number): string => `%%${vectorBytes === 64 ? "zmm" : "ymm"}${at}`;
  const constant = register(0);
  const registers = Array.from({ length: sums }, (_, at) => register(1 + at));
  const lines = [
    `vmovups (%1), ${constant}`,
    ...registers.map((sum) => `vmovups (%1), ${sum}`),
    "1:",
    ...linesOf(registers, constant),
    "decq %0",
    "jnz 1b",
    "vzeroupper",
  ];
  const clobbered = each(sums + 1, (at) => `"xmm${at}",`);
  const body = `long steps = ${steps};
  __asm__ volatile(${lines.map((line) => `"${line}\\n\\t"`).join("\n    ")}
    : "+r"(steps) : "r"(A) : ${clobbered} "cc", "memory");
  C[0] = A[0];`;
  const name = `limits_${rate.replace(".", "_")}`;
  return {
    source: kernel(target, name, vectorBytes / 4, 1, body),
    count: (steps * statements * count * vectorBytes) / 4,
  };
}

function tileProbe(target: CpuTarget, { rate, instruction, products }: (typeof tiles)[number]): Probe {
  const count = steps / 20;
  const product = (sum: number, a: number, b: number): string =>
    `"${instruction} %%tmm${b}, %%tmm${a}, %%tmm${sum}\\n\\t"`;
  const body = `static const struct {
    unsigned char palette, start, zero[14];
    unsigned short row_bytes[16];
    unsigned char rows[16];
  } whole = {1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
  __asm__ volatile("ldtilecfg %0" : : "m"(whole));
  for (long step = 0; step < ${count}; step++)
    __asm__ volatile(${product(0, 4, 6)} ${product(1, 4, 7)} ${product(2, 5, 6)} ${product(3, 5, 7)} : :);
  __asm__ volatile("tilerelease" : :);
  C[0] = A[0];`;
  const source = kernel(target, `limits_${rate.replace(".", "_")}_tiles`, 1, 1, body);
  return { source, count: 4 * products * count };
}

const readers = 8;

/** Makes a probe that reads all of a buffer; the count is its bytes. */
export function readingProbe(target: CpuTarget, bytes: number): Probe {
  const { vectorBytes } = target;
  const lanes = vectorBytes / 4;
  const body = `typedef float vector __attribute__((vector_size(${vectorBytes})));
  typedef float loose __attribute__((vector_size(${vectorBytes}), aligned(4), may_alias));
  vector ${each(readers, (at) => `s${at} = {0}${at < readers - 1 ? "," : ";"}`)}
  for (long at = 0; at < ${bytes / 4}; at += ${readers * lanes}) {
    ${each(readers, (at) => `s${at} += *(const loose *)(A + at + ${at * lanes});`)}
  }
  *(loose *)C = ${each(readers, (at) => `${at > 0 ? "+ " : ""}s${at}`)};`;
  return { source: kernel(target, `limits_reading_${bytes}`, bytes / 4, lanes, body), count: bytes };
}

function kernel({ features }: CpuTarget, name: string, inputs: number, outputs: number, body: string): CSource {
  const text = `void ${name}(void *const *args, void *workspace) {
  const float *A = args[0];
  float *C = args[1];
  ${body}
}
`;
  const parameters = [parameter("A", inputs, "input"), parameter("C", outputs, "output")];
  return { kind: "c", name, parameters, text, workspaceBytes: 0, threads: 1, features, numerics: "fast" };
}

const parameter = (name: string, length: number, role: KernelParameter["role"]): KernelParameter => {
  return { name, dtype: "f32", shape: [length], length, role };
};
