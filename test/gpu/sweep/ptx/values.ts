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
type Row = readonly [opcode: RegExp, form: (...groups: string[]) => Form];

const [integers, unsigneds, floats] = ["[su](?:16|32|64)", "u(?:16|32|64)", "f(?:32|64)"];
const [signeds, bits] = ["[sf](?:16|32|64)", "b(?:16|32|64)"];

/** A row whose operands and result have one type, or the sources that are named. */
const row = (name: string, types: string, value: string, sources?: (type: string) => readonly string[]): Row => [
  new RegExp(`^${name}\\.(${types})$`),
  (type) => ({
    result: type!,
    sources:
      sources?.(type!) ??
      ["a", "b", "c"].filter((source) => new RegExp(`\\b${source}\\b`).test(value)).map(() => type!),
    value: value.replaceAll("T", cppType(type!)),
  }),
];

const shift = (type: string): readonly string[] => [type, "u32"];

/** Comparisons; the words of unsigned integers mean the same as others of their types. */
const comparisons: Readonly<Record<string, string>> = {
  eq: "a == b",
  ne: "a != b",
  lt: "a < b",
  le: "a <= b",
  gt: "a > b",
  ge: "a >= b",
  lo: "a < b",
  ls: "a <= b",
  hi: "a > b",
  hs: "a >= b",
};

const isNan = "(a != a || b != b)";

const [conversion, numbers] = ["((?:\\.(?:rn|rz|rni|rzi|rmi|rpi|sat))*)", "[su](?:8|16|32|64)|b?f16|f32|f64"];

function converted(modifiers: readonly string[], to: string, from: string): Form {
  const rounding = modifiers.find((it) => it !== "sat");
  const kind = rounding === undefined ? "none" : rounding.endsWith("i") ? "integer" : "float";
  const isBf16 = to === "bf16" || from === "bf16";
  if (!roundings(to, from).includes(kind) || (isBf16 && to !== "f32" && from !== "f32"))
    throw new Error("no such conversion");
  const args = ["a", `'${rounding?.[1] ?? "n"}'`, String(kind === "integer"), String(modifiers.includes("sat"))];
  return { result: to, sources: [from], value: `uk_converted<${cppType(to)}, ${cppType(from)}>(${args.join(", ")})` };
}

/** How a conversion may be rounded: it says so where it loses digits, and nowhere else. */
function roundings(to: string, from: string): readonly string[] {
  const [toFloat, fromFloat] = [to, from].map((type) => type.includes("f"));
  if (!toFloat) return fromFloat ? ["integer"] : ["none"];
  if (!fromFloat || bitsOf(to) < bitsOf(from)) return ["float"];
  return to === from ? ["none", "integer"] : ["none"];
}

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
  row("min", `${integers}`, "a < b ? a : b"),
  row("max", `${integers}`, "a > b ? a : b"),
  row("min", floats, "uk_least(a, b)"),
  row("max", floats, "uk_most(a, b)"),
  row("abs", "s(?:16|32|64)", "a < 0 ? -a : a"),
  row("abs", floats, "std::fabs(a)"),
  row("neg", signeds, "-a"),
  row("not", bits, "~a"),
  row("not", "pred", "!a"),
  row("and", `${bits}|pred`, "a & b"),
  row("or", `${bits}|pred`, "a | b"),
  row("xor", `${bits}|pred`, "a ^ b"),
  row("shl", bits, "uk_left(a, b)", shift),
  row("shr", `${bits}|${integers}`, "uk_right(a, b)", shift),
  row("bfi", "b(?:32|64)", "uk_insert(a, b, c, d)", (type) => [type, type, "u32", "u32"]),
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
    new RegExp(`^setp\\.(eq|ne|lt|le|gt|ge)\\.(${integers}|${floats})$`),
    (name, type) => {
      const value = comparisons[name!]!;
      return {
        result: "pred",
        sources: [type!, type!],
        value: type!.startsWith("f") ? `!${isNan} && ${value}` : value,
      };
    },
  ],
  [
    new RegExp(`^setp\\.(lo|ls|hi|hs)\\.(${unsigneds})$`),
    (name, type) => ({ result: "pred", sources: [type!, type!], value: comparisons[name!]! }),
  ],
  [
    new RegExp(`^setp\\.(eq|ne)\\.(${bits})$`),
    (name, type) => ({ result: "pred", sources: [type!, type!], value: comparisons[name!]! }),
  ],
  [
    new RegExp(`^setp\\.(eq|ne|lt|le|gt|ge)u\\.(${floats})$`),
    (name, type) => ({ result: "pred", sources: [type!, type!], value: `${isNan} || ${comparisons[name!]}` }),
  ],
  [
    new RegExp(`^setp\\.(num|nan)\\.(${floats})$`),
    (name, type) => ({ result: "pred", sources: [type!, type!], value: name === "nan" ? isNan : `!${isNan}` }),
  ],
  [
    new RegExp(`^cvt${conversion}\\.(${numbers})\\.(${numbers})$`),
    (modifiers, to, from) => ({ ...converted(modifiers!.split(".").slice(1), to!, from!), mayBeWider: true }),
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
