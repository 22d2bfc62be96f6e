// Helper functions between f32 and the 16-bit floats, on bit patterns, branch-free: the same steps serve one lane and
// many, where there is no instruction. f32 → 16 bit rounds to nearest even; NaN becomes a quiet NaN of the type.

import type { Numerics } from "../../target/target.ts";
import type { Element } from "./element.ts";
import type { Prelude } from "./prelude.ts";
import { asOperand, leadingLanes, resizeLanes } from "./resize-lanes.ts";
import { type GuardedExpression, inline, instructionOfSize, neon, select, splat } from "./vector-function.ts";

export type Half = "f16" | "bf16";

/** The names of the types and functions that the steps are written with, for one lane count. */
interface Kit {
  readonly f32: string;
  readonly i32: string;
  readonly u16: string;
  /** The i32 constant in every lane. */
  constant(value: string): string;
  /** `test ? then : other`, all i32. */
  choose(test: string, then: string, other: string): string;
  toBits(value: string): string;
  fromBits(value: string): string;
  /** u16 → i32 and back. */
  widen(value: string): string;
  narrow(value: string): string;
}

/** `name(a)`: the f32 value of the bit pattern `a`. */
export function widenHalf(prelude: Prelude, half: Half, lanes: number): string {
  const name = `uk_f32_${half}${lanes === 1 ? "" : `x${lanes}`}`;
  return prelude.define(name, () => {
    const kit = kitOf(prelude, lanes);
    const steps = half === "bf16" ? [`return ${kit.fromBits(`${kit.widen("a")} << 16`)};`] : widenSteps(kit);
    return halfFunction(
      `${kit.f32} ${name}(${kit.u16} a)`,
      half === "f16" ? widenInstruction(prelude, lanes) : null,
      steps,
    );
  });
}

/** `name(a)`: the bit pattern nearest to the f32 value `a`. */
export function narrowHalf(prelude: Prelude, half: Half, lanes: number, numerics: Numerics): string {
  const name = `uk_${half}_f32${lanes === 1 ? "" : `x${lanes}`}`;
  return prelude.define(name, () => {
    const kit = kitOf(prelude, lanes);
    const steps = half === "bf16" ? narrowBfloatSteps(kit) : narrowSteps(kit);
    const instruction =
      half === "f16" ? narrowInstruction(prelude, lanes) : narrowBfloatInstruction(prelude, lanes, numerics);
    return halfFunction(`${kit.u16} ${name}(${kit.f32} a)`, instruction, steps);
  });
}

/** Steps from 16 bits to f32. Multiplying by 2^112 moves the exponent's bias, exactly for subnormals too; the exponent 31 becomes 255. */
function widenSteps({ i32, widen, toBits, fromBits, constant, choose }: Kit): readonly string[] {
  return [
    `${i32} h = ${widen("a")};`,
    `${i32} m = ${toBits(`${fromBits("(h & 0x7fff) << 13")} * 0x1p112f`)};`,
    `m = ${choose(`(h & 0x7c00) == ${constant("0x7c00")}`, "m | 0x7f800000", "m")};`,
    `return ${fromBits("(h & 0x8000) << 16 | m")};`,
  ];
}

/** Adding 0.5 leaves a subnormal result, rounded by the adder, in the low bits; the carry of rounding reaches infinity. */
function narrowSteps({ i32, toBits, fromBits, narrow, constant, choose }: Kit): readonly string[] {
  return [
    `${i32} b = ${toBits("a")}, m = b & 0x7fffffff;`,
    `${i32} normal = (m - 0x38000000 + 0xfff + (m >> 13 & 1)) >> 13;`,
    `${i32} subnormal = ${toBits(`${fromBits("m")} + 0.5f`)} - 0x3f000000;`,
    `${i32} r = ${choose(`m < ${constant("0x38800000")}`, "subnormal", "normal")};`,
    `r = ${choose(`m >= ${constant("0x47800000")}`, constant("0x7c00"), "r")};`,
    `r = ${choose(`m > ${constant("0x7f800000")}`, constant("0x7e00"), "r")};`,
    `return ${narrow("(b >> 16 & 0x8000) | r")};`,
  ];
}

function narrowBfloatSteps({ i32, toBits, narrow, constant, choose }: Kit): readonly string[] {
  return [
    `${i32} b = ${toBits("a")};`,
    `${i32} r = (b + 0x7fff + (b >> 16 & 1)) >> 16;`,
    `r = ${choose(`(b & 0x7fffffff) > ${constant("0x7f800000")}`, "(b >> 16 & 0x8000) | 0x7fc0", "r")};`,
    `return ${narrow("r")};`,
  ];
}

/**
 * F16C converts 4, 8 or 16 lanes. A NaN keeps its payload there; no contract says which NaN comes out. clang is not to
 * see where the lanes come from: it would compare them as 16-bit floats, lane by lane.
 */
function widenInstruction(prelude: Prelude, lanes: number): GuardedExpression | null {
  const operand = asOperand(prelude, "u16", lanes);
  const opaque = (register: string, call: string): string =>
    `({ uk_f32x${lanes} r = ${call}; __asm__("" : "+${register}"(r)); r; })`;
  const x86 = {
    16: { when: "defined(__F16C__)", text: opaque("x", `__builtin_ia32_vcvtph2ps(${operand})`) },
    32: { when: "defined(__F16C__)", text: opaque("x", `__builtin_ia32_vcvtph2ps256(${operand})`) },
    64: {
      when: "defined(__AVX512F__)",
      text: opaque("v", `__builtin_ia32_vcvtph2ps512_mask(${operand}, (uk_f32x16){0}, -1, 4)`),
    },
  };
  return instructionOfSize(prelude, lanes * 4, x86, () => neon("uk_f32x4", "fcvtl %0.4s, %1.4h", operand));
}

function narrowInstruction(prelude: Prelude, lanes: number): GuardedExpression | null {
  const result = (call: string): string => leadingLanes(prelude, call, "u16", lanes);
  const x86 = {
    16: { when: "defined(__F16C__)", text: result("__builtin_ia32_vcvtps2ph(a, 0)") },
    32: { when: "defined(__F16C__)", text: result("__builtin_ia32_vcvtps2ph256(a, 0)") },
    64: {
      when: "defined(__AVX512F__)",
      text: result("__builtin_ia32_vcvtps2ph512_mask(a, 0, (uk_i16x16){0}, -1)"),
    },
  };
  return instructionOfSize(prelude, lanes * 4, x86, () => {
    const { when, text } = narrowed(prelude, "fcvtn");
    return { when, text: result(text) };
  });
}

/** ARM's instructions that narrow four lanes, into the half of a vector: "fcvtn". */
const narrowed = (prelude: Prelude, instruction: string): GuardedExpression =>
  neon(prelude.type("i16", 8), `${instruction} %0.4h, %1.4s`, "a");

/**
 * Instruction that narrows 16 lanes to bf16, of ARM four, or null. That of x86 flushes denormals. In assembler, as compilers do not agree
 * on the builtin's types.
 */
function narrowBfloatInstruction(prelude: Prelude, lanes: number, numerics: Numerics): GuardedExpression | null {
  if (numerics === "strict") return null;
  if (prelude.architecture === "arm64") {
    const text = leadingLanes(prelude, narrowed(prelude, "bfcvtn").text, "u16", lanes);
    return lanes === 4 ? { when: "defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)", text } : null;
  }
  if (lanes !== 16) return null;
  const result = prelude.type("u16", lanes);
  const text = `({ ${result} r; __asm__("vcvtneps2bf16 %1, %0" : "=v"(r) : "v"(a)); r; })`;
  return { when: "defined(__AVX512BF16__)", text };
}

function halfFunction(signature: string, instruction: GuardedExpression | null, steps: readonly string[]): string {
  const lines = steps.map((step) => `  ${step}`).join("\n");
  if (!instruction) return `${inline} ${signature} {\n${lines}\n}`;
  return `${inline} ${signature} {\n#if ${instruction.when}\n  return ${instruction.text};\n#else\n${lines}\n#endif\n}`;
}

function kitOf(prelude: Prelude, lanes: number): Kit {
  const type = (element: Element): string => prelude.type(element, lanes);
  const [f32, i32, u16] = [type("f32"), type("i32"), type("u16")];
  const common = { f32, i32, u16 };
  if (lanes === 1) {
    const [toBits, fromBits] = [bitcast(prelude, "f32", "i32"), bitcast(prelude, "i32", "f32")];
    return {
      ...common,
      constant: (value) => value,
      choose: (test, then, other) => `${test} ? ${then} : ${other}`,
      toBits: (value) => `${toBits}(${value})`,
      fromBits: (value) => `${fromBits}(${value})`,
      widen: (value) => `(int)${value}`,
      narrow: (value) => `(unsigned short)(${value})`,
    };
  }
  prelude.type("i16", lanes);
  const [all, blend] = [splat(prelude, "i32", lanes), select(prelude, "i32", lanes)];
  return {
    ...common,
    constant: (value) => `${all}(${value})`,
    choose: (test, then, other) => `${blend}((${i32})(${test}), ${then}, ${other})`,
    toBits: (value) => `(${i32})(${value})`,
    fromBits: (value) => `(${f32})(${value})`,
    widen: (value) => resizeLanes(prelude, value, "u16", "i32", lanes),
    narrow: (value) => resizeLanes(prelude, value, "i32", "u16", lanes),
  };
}

/** `name(a)`: the bits of the scalar `a` as another type of the same width. */
export function bitcast(prelude: Prelude, from: Element, to: Element): string {
  const name = `uk_bits_${to}_${from}`;
  const [source, result] = [prelude.type(from, 1), prelude.type(to, 1)];
  return prelude.define(
    name,
    () => `${inline} ${result} ${name}(${source} a) { ${result} r; __builtin_memcpy(&r, &a, sizeof r); return r; }`,
  );
}
