// PTX instructions that compute one value from others → C++. A row has the instruction's name, the types that it comes in, and the value, in which
// a, b and c are what it reads.

import type { Operands } from "./operands.ts";
import type { PtxInstruction } from "./read-ptx.ts";
import { bitsOf, cppType } from "./types.ts";

/** An instruction's types and value. */
interface Form {
  readonly result: string;
  readonly sources: readonly string[];
  readonly value: string;
  readonly mayBeWider?: boolean;
}

/** An opcode, and what the groups of its pattern make. */
type Row = readonly [opcode: RegExp, form: (...groups: (string | undefined)[]) => Form];

const [integers, unsigneds, floats] = ["[su](?:16|32|64)", "u(?:16|32|64)", "f(?:32|64)"];
const [signeds, bits] = ["s(?:16|32|64)", "b(?:16|32|64)"];

/** A row whose operands and result have one type, or the sources that are named. */
const row = (name: string, types: string, value: string, sources?: (type: string) => readonly string[]): Row => [
  new RegExp(`^${name}\\.(${types})$`),
  (type) => ({
    result: type!,
    sources:
      sources?.(type!) ??
      ["a", "b", "c"].filter((source) => new RegExp(`\\b${source}\\b`).test(value)).map(() => type!),
    value,
  }),
];

const shift = (type: string): readonly string[] => [type, "u32"];

/** "ltu" is as "lt" where both are numbers; "lo" is "lt" of unsigned integers. */
const operators: Readonly<Record<string, string>> = {
  eq: "==",
  ne: "!=",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
  lo: "<",
  ls: "<=",
  hi: ">",
  hs: ">=",
};

const comparison = (names: string, types: string, value: (operator: string) => string): Row => [
  new RegExp(`^setp\\.(${names})\\.(${types})$`),
  (name, type) => ({ result: "pred", sources: [type!, type!], value: value(operators[name!.slice(0, 2)]!) }),
];

const [isNan, orders] = ["(a != a || b != b)", "eq|ne|lt|le|gt|ge"];

const numbers = "[su](?:8|16|32|64)|b?f16|f32|f64";

function converted(rounding: string, saturates: boolean, to: string, from: string): Form {
  const isBf16 = to === "bf16" || from === "bf16";
  if (!roundings(to, from).includes(rounding) || (isBf16 && to !== "f32" && from !== "f32"))
    throw new Error("no such conversion");
  const args = ["a", `'${rounding[1] ?? "n"}'`, String(rounding.endsWith("i")), String(saturates)];
  return {
    result: to,
    sources: [from],
    value: `uk_converted<${cppType(to)}, ${cppType(from)}>(${args.join(", ")})`,
    mayBeWider: true,
  };
}

const toInteger = ["rni", "rzi", "rmi", "rpi"];

/** How a conversion may be rounded, or "": it says so where it loses digits, and nowhere else. */
function roundings(to: string, from: string): readonly string[] {
  const [toFloat, fromFloat] = [to, from].map((type) => type.includes("f"));
  if (!toFloat) return fromFloat ? toInteger : [""];
  if (!fromFloat || bitsOf(to) < bitsOf(from)) return ["rn", "rz"];
  return to === from ? ["", ...toInteger] : [""];
}

const productType = (left: string, right: string): string => (left === "s32" || right === "s32" ? "s32" : "u32");

const rows: readonly Row[] = [
  row("mov", `${bits}|${integers}|${floats}|pred`, "a"),
  row("add", integers, "a + b"),
  row("sub", integers, "a - b"),
  row("add(?:\\.rn)?", floats, "a + b"),
  row("sub(?:\\.rn)?", floats, "a - b"),
  row("mul(?:\\.rn)?", floats, "a * b"),
  row("fma\\.rn", floats, "std::fma(a, b, c)"),
  row("div\\.rn", floats, "a / b"),
  row("rcp\\.rn", floats, "1 / a"),
  row("sqrt\\.rn", floats, "std::sqrt(a)"),
  row("mul\\.lo", integers, "a * b"),
  row("mul\\.hi", integers, "uk_high(a, b)"),
  row("mad\\.lo", integers, "a * b + c"),
  row("div", integers, "uk_quotient(a, b)"),
  row("rem", integers, "uk_remainder(a, b)"),
  row("min", integers, "a < b ? a : b"),
  row("max", integers, "a > b ? a : b"),
  row("min", floats, "uk_least(a, b)"),
  row("max", floats, "uk_most(a, b)"),
  row("abs", signeds, "a < 0 ? -a : a"),
  row("abs", floats, "std::fabs(a)"),
  row("neg", `${signeds}|${floats}`, "-a"),
  row("not", bits, "~a"),
  row("not", "pred", "!a"),
  row("and", `${bits}|pred`, "a & b"),
  row("or", `${bits}|pred`, "a | b"),
  row("xor", `${bits}|pred`, "a ^ b"),
  row("shl", bits, "uk_left(a, b)", shift),
  row("shr", `${bits}|${integers}`, "uk_right(a, b)", shift),
  row("bfi", "b(?:32|64)", "uk_insert(a, b, c, d)", (type) => [type, type, "u32", "u32"]),
  row("bfe", integers, "uk_extract(a, b, c)", (type) => [type, "u32", "u32"]),
  row("lop3", "b32", "uk_logic(a, b, c, d)", (type) => [type, type, type, "u32"]),
  row("prmt", "b32", "uk_permute(a, b, c)"),
  row("selp", `${bits}|${integers}|${floats}`, "c & 1 ? a : b", (type) => [type, type, "pred"]),
  [
    /^(mul|mad)\.wide\.([su])(16|32)$/,
    (name, sign, width) => {
      const [narrow, wide] = [`${sign}${width}`, `${sign}${2 * Number(width)}`];
      const product = `(${cppType(wide)})a * (${cppType(wide)})b`;
      return name === "mul"
        ? { result: wide, sources: [narrow, narrow], value: product }
        : { result: wide, sources: [narrow, narrow, wide], value: `${product} + c` };
    },
  ],
  [
    /^dp4a\.([su]32)\.([su]32)$/,
    (left, right) => ({
      result: productType(left!, right!),
      sources: [left!, right!, productType(left!, right!)],
      value: `uk_dot<4, ${cppType(`${left![0]}8`)}, ${cppType(`${right![0]}8`)}>(a, b, c)`,
    }),
  ],
  [
    /^dp2a\.(lo|hi)\.([su]32)\.([su]32)$/,
    (half, left, right) => ({
      result: productType(left!, right!),
      sources: [left!, right!, productType(left!, right!)],
      value: `uk_dot<2, ${cppType(`${left![0]}16`)}, ${cppType(`${right![0]}8`)}>(a, b >> ${half === "hi" ? 16 : 0}, c)`,
    }),
  ],
  comparison(orders, integers, (operator) => `a ${operator} b`),
  comparison("eq|ne", bits, (operator) => `a ${operator} b`),
  comparison("lo|ls|hi|hs", unsigneds, (operator) => `a ${operator} b`),
  comparison(orders, floats, (operator) => `!${isNan} && a ${operator} b`),
  comparison(`(?:${orders})u`, floats, (operator) => `${isNan} || a ${operator} b`),
  comparison("num", floats, () => `!${isNan}`),
  comparison("nan", floats, () => isNan),
  [
    new RegExp(`^cvt(?:\\.(r[nzmp]i?))?(\\.sat)?\\.(${numbers})\\.(${numbers})$`),
    (rounding = "", saturates, to, from) => converted(rounding, saturates !== undefined, to!, from!),
  ],
  [/^cvta(?:\.to)?\.(?:global|local|param|const)\.u64$/, () => ({ result: "u64", sources: ["u64"], value: "a" })],
  [
    /^cvta\.(to\.)?shared\.u64$/,
    (to) => ({ result: "u64", sources: ["u64"], value: `a ${to ? "-" : "+"} (unsigned long long)uk_group` }),
  ],
];

/** Statement of such an instruction; null: it is another. */
export function valueStatement({ opcode, operands }: PtxInstruction, { read, write }: Operands): string | null {
  for (const [pattern, form] of rows) {
    const found = pattern.exec(opcode);
    if (!found) continue;
    const { result, sources, value, mayBeWider } = form(...found.slice(1));
    const [to, ...from] = operands;
    if (from.length !== sources.length)
      throw new Error(`it has ${from.length} sources, and ${sources.length} are wanted`);
    const given = sources.map(
      (type, at) => `const ${cppType(type)} ${"abcd"[at]} = ${read(from[at]!, type, mayBeWider)};`,
    );
    return `{ ${given.join(" ")} ${write(to!, result, value, mayBeWider)} }`;
  }
  return null;
}
