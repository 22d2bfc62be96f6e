// PTX instructions one by one, by values that JavaScript computes, and text that is refused.

import { beforeAll, describe, expect, test } from "vitest";
import type { CudaCompiler } from "../../../../src/native/cuda/nvrtc.ts";
import { assemblePtx } from "../../../compiler/cuda/assemble-ptx.ts";
import { noCudaTools, openNvrtc } from "../../../compiler/cuda/tools.ts";
import { noFakeGpu } from "../../../support/cuda.ts";
import { ptxToCpp } from "../ptx-to-c.ts";
import { runPtx } from "./run-ptx.ts";
import { bitsOf } from "./types.ts";

/** A number in a register. */
interface Value {
  readonly type: string;
  readonly number: number | bigint;
}

const ofType =
  (type: string) =>
  (number: number | bigint): Value => ({ type, number });

const [b16, s16, u16] = [ofType("b16"), ofType("s16"), ofType("u16")];
const [b32, s32, u32, f32] = [ofType("b32"), ofType("s32"), ofType("u32"), ofType("f32")];
const [b64, s64, u64, f64] = [ofType("b64"), ofType("s64"), ofType("u64"), ofType("f64")];
const pred = ofType("pred");

/** An instruction (with its operands, where they are not d, a, b, c), its result and its sources. */
type Case = readonly [instruction: string, result: Value, ...sources: readonly Value[]];

const [least, most] = [-(2 ** 31), 2 ** 31 - 1];
const { fround } = Math;

const groups: Readonly<Record<string, readonly Case[]>> = {
  integers: [
    ["add.s32", s32(least), s32(most), s32(1)],
    ["add.u64", u64(0n), u64(2n ** 64n - 1n), u64(1n)],
    ["sub.s16", s16(32767), s16(-32768), s16(1)],
    ["add.s32 d, a, -5", s32(2), s32(7)],
    ["add.s32 d, a, 0xff", s32(262), s32(7)],
    ["add.s64 d, a, -5", s64(2n), s64(7n)],
    ["mul.lo.s32", s32(Math.imul(123456789, 987654321)), s32(123456789), s32(987654321)],
    ["mul.hi.s32", s32(Number((-123456789n * 987654321n) >> 32n)), s32(-123456789), s32(987654321)],
    ["mul.hi.u64", u64(2n ** 64n - 2n), u64(2n ** 64n - 1n), u64(2n ** 64n - 1n)],
    ["mul.wide.s32", s64(-(2n ** 32n)), s32(least), s32(2)],
    ["mul.wide.u32", u64(2n ** 32n), u32(2 ** 31), u32(2)],
    ["mul.wide.u16", u32(131070), u16(65535), u16(2)],
    ["mad.lo.s32", s32(-11), s32(-7), s32(2), s32(3)],
    ["mad.wide.s32", s64(-(2n ** 32n) + 5n), s32(least), s32(2), s64(5n)],
    ["div.s32", s32(-3), s32(-7), s32(2)],
    ["div.u32", u32(2147483644), u32(-7), u32(2)],
    ["div.s32", s32(least), s32(least), s32(-1)],
    ["rem.s32", s32(-1), s32(-7), s32(2)],
    ["rem.s32", s32(0), s32(least), s32(-1)],
    ["rem.u64", u64(3n), u64(13n), u64(5n)],
    ["min.s32", s32(-1), s32(-1), s32(1)],
    ["min.u32", u32(1), u32(-1), u32(1)],
    ["max.s64", s64(1n), s64(-1n), s64(1n)],
    ["abs.s32", s32(5), s32(-5)],
    ["neg.s32", s32(5), s32(-5)],
    ["dp4a.s32.s32", s32(-1 * 4 + 2 * 5 + 100), b32(0x02_ff), b32(0x05_04), s32(100)],
    ["dp4a.u32.u32", u32(255 * 4 + 2 * 5), b32(0x02_ff), b32(0x05_04), u32(0)],
    ["dp2a.lo.s32.s32", s32(-1 * 4 + 2 * -1), b32(0x2_ffff), b32(0x66_77_ff_04), s32(0)],
    ["dp2a.hi.u32.u32", u32(0xffff * 4 + 2 * 255), b32(0x2_ffff), b32(0xff_04_66_77), u32(0)],
  ],
  bits: [
    ["not.b32", b32(~0x1234), b32(0x1234)],
    ["and.b32", b32(0x30), b32(0xf0), b32(0x3c)],
    ["or.b64", b64(0xfcn), b64(0xf0n), b64(0x3cn)],
    ["xor.b16", b16(0xcc), b16(0xf0), b16(0x3c)],
    ["shl.b32", b32(0x80), b32(1), u32(7)],
    ["shl.b32", b32(0), b32(1), u32(32)],
    ["shl.b32 d, a, 31", b32(2 ** 31), b32(1)],
    ["shl.b64", b64(0n), b64(1n), u32(64)],
    ["shr.u32", u32(1), u32(-1), u32(31)],
    ["shr.u32", u32(0), u32(-1), u32(32)],
    ["shr.s32", s32(-1), s32(-2), u32(1)],
    ["shr.s32", s32(-1), s32(least), u32(40)],
    ["shr.s16", s16(-1), s16(-32768), u32(16)],
    ["shr.u64", u64(1n), u64(2n ** 63n), u32(63)],
    ["bfi.b32 d, a, b, 2, 30", b32((5 << 2) | 3), b32(5), b32(7)],
    ["bfe.s32 d, a, 8, 8", s32(-2), s32(0x12fe34)],
    ["bfe.u32 d, a, 24, 8", u32(0xfe), u32(0xfe123456)],
    ["lop3.b32 d, a, b, c, 0xE8", b32(0b1110_1000), b32(0b1111_0000), b32(0b1100_1100), b32(0b1010_1010)],
    ["prmt.b32 d, a, b, 0x7610", b32((0x11223344 & 0xffff) | 0x55660000), b32(0x11223344), b32(0x55667788)],
    ["mov.b32 d, 0f3F800000", f32(1)],
    ["mov.b32 d, {a, b}", b32(0x12345678), b16(0x5678), b16(0x1234)],
    ["mov.b64 d, {a, b}", b64(0x9abcdef012345678n), b32(0x12345678), b32(0x9abcdef0)],
    ["mov.b32 {_, d}, a", b16(0x1234), b32(0x12345678)],
    ["mov.b64 {d, _}, a", b32(0x12345678), b64(0x9abcdef012345678n)],
    ["mov.u32 d, %ntid.x", u32(1)],
  ],
  floats: [
    ["add.f32", f32(fround(0.1) + fround(0.2)), f32(0.1), f32(0.2)],
    ["add.rn.f64", f64(0.1 + 0.2), f64(0.1), f64(0.2)],
    ["sub.f32", f32(0.25), f32(1), f32(0.75)],
    ["mul.f32", f32(fround(0.1) * fround(0.1)), f32(0.1), f32(0.1)],
    ["mul.f32 d, a, 0f40000000", f32(6), f32(3)],
    ["mul.f64 d, a, 0d4000000000000000", f64(6), f64(3)],
    // The product of both is 1 - 2^-46, which a rounded product loses.
    ["fma.rn.f32", f32(-(2 ** -46)), f32(1 + 2 ** -23), f32(1 - 2 ** -23), f32(-1)],
    ["fma.rn.f64", f64(-(2 ** -104)), f64(1 + 2 ** -52), f64(1 - 2 ** -52), f64(-1)],
    ["div.rn.f32", f32(fround(1 / 3)), f32(1), f32(3)],
    ["div.rn.f64", f64(Infinity), f64(1), f64(0)],
    ["sqrt.rn.f32", f32(Math.sqrt(2)), f32(2)],
    ["rcp.rn.f64", f64(1 / 3), f64(3)],
    ["min.f32", f32(1), f32(NaN), f32(1)],
    ["max.f32", f32(1), f32(1), f32(NaN)],
    ["min.f64", f64(-0), f64(0), f64(-0)],
    ["max.f64", f64(0), f64(-0), f64(0)],
    ["abs.f32", f32(2), f32(-2)],
    ["neg.f32", f32(-0), f32(0)],
  ],
  conversions: [
    ["cvt.rn.f32.s32", f32(fround(most)), s32(most)],
    ["cvt.rz.f32.s32", f32(most - 127), s32(most)],
    ["cvt.rn.f32.u64", f32(2 ** 64), u64(2n ** 64n - 1n)],
    ["cvt.rn.f64.s64", f64(-(2 ** 63)), s64(-(2n ** 63n))],
    ["cvt.rn.f32.f64", f32(fround(0.1)), f64(0.1)],
    ["cvt.f64.f32", f64(fround(0.1)), f32(0.1)],
    ["cvt.rzi.s32.f32", s32(-2), f32(-2.7)],
    ["cvt.rmi.s32.f32", s32(-3), f32(-2.7)],
    ["cvt.rpi.s32.f32", s32(3), f32(2.2)],
    ["cvt.rni.s32.f32", s32(2), f32(2.5)],
    ["cvt.rmi.f32.f32", f32(-3), f32(-2.7)],
    ["cvt.rzi.s32.f32", s32(most), f32(1e20)],
    ["cvt.rzi.u32.f32", u32(0), f32(-1)],
    ["cvt.rzi.s32.f32", s32(0), f32(NaN)],
    ["cvt.rzi.s32.f64", s32(least), f64(NaN)],
    ["cvt.rzi.s64.f32", s64(-(2n ** 63n)), f32(NaN)],
    ["cvt.sat.f32.f32", f32(1), f32(7)],
    ["cvt.s64.s32", s64(-1n), s32(-1)],
    ["cvt.u64.u32", u64(2n ** 32n - 1n), u32(-1)],
    ["cvt.u32.u64", u32(0x89abcdef), u64(0x123456789abcdefn)],
    ["cvt.s32.s8", s32(-128), s32(0x180)],
    ["cvt.u16.u8", u16(0x80), u16(0x180)],
    ["cvt.u16.u32", u16(0x5678), u32(0x12345678)],
    ["cvt.sat.s8.s32", s16(127), s32(1000)],
    ["cvt.sat.u8.s32", u16(0), s32(-1000)],
    ["cvt.rn.f16.f32", b16(0x3555), f32(1 / 3)],
    ["cvt.f32.f16", f32(65504), b16(0x7bff)],
    ["cvt.rn.bf16.f32", b16(0x3eab), f32(1 / 3)],
    ["cvt.f32.bf16", f32(1.5), b16(0x3fc0)],
  ],
  predicates: [
    ["setp.lt.s32", pred(1), s32(-1), s32(1)],
    ["setp.lt.u32", pred(0), u32(-1), u32(1)],
    ["setp.hi.u32", pred(1), u32(-1), u32(1)],
    ["setp.eq.b64", pred(1), b64(5n), b64(5n)],
    ["setp.ge.f32", pred(1), f32(2), f32(2)],
    ["setp.ne.f32", pred(0), f32(NaN), f32(2)],
    ["setp.neu.f32", pred(1), f32(NaN), f32(2)],
    ["setp.ltu.f64", pred(1), f64(1), f64(NaN)],
    ["setp.ltu.f64", pred(0), f64(2), f64(1)],
    ["setp.nan.f32", pred(1), f32(NaN), f32(0)],
    ["and.pred", pred(0), pred(1), pred(0)],
    ["or.pred", pred(1), pred(1), pred(0)],
    ["xor.pred", pred(0), pred(1), pred(1)],
    ["not.pred", pred(0), pred(1)],
    ["selp.f32", f32(1), f32(1), f32(2), pred(1)],
    ["selp.b32 d, 1, 0, a", b32(0), pred(0)],
  ],
};

const cases = Object.values(groups).flat();

/** Bytes of the arrays for the operands of one case. */
const stride = 32;

const wide = (type: string): number => (type === "pred" ? 32 : bitsOf(type));

/** Lines that bring a source to a register: predicates are 0 and 1 in memory. */
function sourceLines({ type }: Value, name: string, at: number): readonly string[] {
  const load = (to: string): string => `ld.global.b${wide(type)} ${to}, [%in+${at}];`;
  if (type !== "pred") return [`.reg .b${wide(type)} ${name};`, load(name)];
  return [
    `.reg .pred ${name};`,
    `.reg .b32 ${name}_number;`,
    load(`${name}_number`),
    `setp.ne.b32 ${name}, ${name}_number, 0;`,
  ];
}

function blockOf([instruction, result, ...sources]: Case, at: number): string {
  const names = ["a", "b", "c"].slice(0, sources.length);
  const text = instruction.includes(" ") ? instruction : `${instruction} ${["d", ...names].join(", ")}`;
  const isPredicate = result.type === "pred";
  return [
    "{",
    ...sources.flatMap((source, k) => sourceLines(source, names[k]!, at * stride + 8 * k)),
    `.reg .${isPredicate ? "pred" : `b${wide(result.type)}`} d;`,
    `${text};`,
    ...(isPredicate ? [".reg .b32 number;", "selp.b32 number, 1, 0, d;"] : []),
    `st.global.b${wide(result.type)} [%out+${at * 8}], ${isPredicate ? "number" : "d"};`,
    "}",
  ].join("\n");
}

const write: Readonly<Record<string, (view: DataView, at: number, number: number | bigint) => void>> = {
  f32: (view, at, number) => view.setFloat32(at, Number(number), true),
  f64: (view, at, number) => view.setFloat64(at, Number(number), true),
};

function bytesOf({ type, number }: Value): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  if (write[type]) write[type](view, 0, number);
  else view.setBigUint64(0, BigInt.asUintN(wide(type), BigInt(number)), true);
  return new Uint8Array(view.buffer);
}

/** The number that bytes are, of the type of a value. */
function numberIn(bytes: DataView, at: number, type: string): number | bigint {
  if (type === "f32") return bytes.getFloat32(at, true);
  if (type === "f64") return bytes.getFloat64(at, true);
  return BigInt.asUintN(wide(type), bytes.getBigUint64(at, true));
}

const entry = (body: string): string => `.version 8.0
.target sm_90a
.address_size 64
.visible .entry one(.param .u64 in, .param .u64 out)
{
.reg .b64 %in, %out;
ld.param.u64 %in, [in];
ld.param.u64 %out, [out];
${body}
ret;
}
`;

const allCases = entry(cases.map(blockOf).join("\n"));

describe.skipIf(noFakeGpu !== null)(`PTX instructions${noFakeGpu ? ` (${noFakeGpu})` : ""}`, () => {
  const results = new DataView(new ArrayBuffer(8 * cases.length));
  beforeAll(() => {
    const inputs = new Uint8Array(new ArrayBuffer(stride * cases.length));
    for (const [at, [, , ...sources]] of cases.entries())
      for (const [k, source] of sources.entries()) inputs.set(bytesOf(source), at * stride + 8 * k);
    runPtx(allCases, [1, 1, 1], [inputs, new Uint8Array(results.buffer)]);
  }, 60_000);

  test.each(Object.keys(groups))("%s", (title) => {
    for (const each of groups[title]!) {
      const [instruction, result] = each;
      const wanted = numberIn(new DataView(bytesOf(result).buffer), 0, result.type);
      expect([instruction, numberIn(results, 8 * cases.indexOf(each), result.type)]).toEqual([instruction, wanted]);
    }
  });
});

// [part of a kernel, what is wrong with it]
const wrong = [
  ["add.rn.s32 %r1, %r2, %r3;", "it is not known"],
  ["setp.lo.s32 %p, %r2, %r3;", "it is not known"],
  ["div.f32 %f1, %f2, %f3;", "it is not known"],
  ["add.f32 %f1, %f2;", "it has 1 sources, and 2 are wanted"],
  ["add.f32 %f1, %f2, 1;", "1 is no .f32"],
  ["add.s32 %r1, %r2, 0f3F800000;", "0f3F800000 is no .s32"],
  ["add.s32 %r1, %r2, %rd1;", "%rd1 is .b64, and .s32 is wanted"],
  ["add.f32 %f1, %f2, %s1;", "%s1 is .s32, and .f32 is wanted"],
  ["add.s32 %r1, %r2, %tid.x;", "it reads a special register"],
  ["add.s32 %r1, %r2, %q;", "%q is no register"],
  ["cvt.f32.s32 %f1, %r1;", "no such conversion"],
  ["cvt.rn.f64.f32 %rd1, %f1;", "no such conversion"],
  ["cvt.s32.f32 %r1, %f1;", "no such conversion"],
  ["ld.global.v2.f32 %f1, [%rd1];", "%f1 is 1 operands, and 2 are wanted"],
  ["ld.global.f32 %f1, [%f2];", "%f2 is .f32, and .b64 is wanted"],
  ["ld.global.f32 %f1, [%r1];", "%r1 is .b32, and .b64 is wanted"],
  ["ld.shared.f32 %f1, [in];", "in is no shared memory"],
] as const;

// The same of what a GPU takes and no kernel of ours has.
const unknown = [
  ["add.ftz.f32 %f1, %f2, %f3;", "it is not known"],
  ["cvt.rm.f32.f64 %f1, %rd1;", "no such conversion"],
  ["bar.sync 1;", "1 where 0 is wanted"],
  ["wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r0, %r1, %r2, %r3}, %rd1, %rd2, 0;", "0 where 1 is wanted"],
  [".shared .b8 own[4];", "PTX that is not known"],
] as const;

const registers = ".reg .b32 %r<4>; .reg .f32 %f<4>; .reg .s32 %s<2>; .reg .b64 %rd<4>; .reg .pred %p;";

describe("PTX that is refused", () => {
  test.each([...wrong, ...unknown])("%s", (text, why) => {
    expect(() => ptxToCpp(entry(`${registers}\n${text}`))).toThrow(why);
    expect(() => ptxToCpp(entry(`${registers}\n${text}`))).toThrow(text.slice(0, -1));
  });

  test("what stands outside of kernels", () => {
    expect(() => ptxToCpp(`${entry("")}\n.global .b8 own[4];`)).toThrow("PTX that is not known: .global .b8 own[4];");
  });
});

describe.skipIf(noCudaTools !== null)(`NVIDIA's assembler${noCudaTools ? ` (${noCudaTools})` : ""}`, () => {
  let nvrtc: CudaCompiler;
  beforeAll(async () => {
    nvrtc = await openNvrtc();
  });

  test("takes the instructions that are run here", () => {
    expect(assemblePtx(nvrtc, allCases, "sm_90a").length).toBeGreaterThan(0);
  });

  test.each(wrong)("refuses %s", (text) => {
    expect(() => assemblePtx(nvrtc, entry(`${registers}\n${text}`), "sm_90a")).toThrow("ptxas");
  });
});
