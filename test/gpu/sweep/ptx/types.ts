// Types of PTX and their counterparts in C++, and which registers an instruction of a type takes.

const cppTypes: Readonly<Record<string, string>> = {
  pred: "unsigned char",
  b8: "unsigned char",
  u8: "unsigned char",
  s8: "signed char",
  b16: "unsigned short",
  u16: "unsigned short",
  s16: "short",
  b32: "unsigned",
  u32: "unsigned",
  s32: "int",
  b64: "unsigned long long",
  u64: "unsigned long long",
  s64: "long long",
  f16: "_Float16",
  bf16: "uk_bf16",
  f32: "float",
  f64: "double",
};

export function cppType(type: string): string {
  const found = cppTypes[type];
  if (found === undefined) throw new Error(`no type: ${type}`);
  return found;
}

export const bitsOf = (type: string): number => (type === "pred" ? 1 : Number(/\d+$/.exec(type)![0]));

/** Registers are bits, whatever they are declared as. */
export const registerType = (type: string): string => cppType(type === "pred" ? type : `b${bitsOf(type)}`);

/** "f" of f32 and bf16, "i" of u8 and s32, "b" of b64. */
function kindOf(type: string): string {
  if (type === "pred") return type;
  const letter = /f?\d+$/.exec(type)![0][0] === "f" ? "f" : type[0]!;
  return letter === "u" || letter === "s" ? "i" : letter;
}

/**
 * Says whether a register may be an operand: its size is that of the instruction, and none of the two is an integer where the other is a float.
 *
 * @param mayBeWider whether it may have more bits, as those of loads, stores and conversions
 */
export function takes(instruction: string, register: string, mayBeWider: boolean): boolean {
  const [wanted, given] = [kindOf(instruction), kindOf(register)];
  if (wanted === "pred" || given === "pred") return wanted === given;
  const [least, bits] = [bitsOf(instruction), bitsOf(register)];
  const fits = bits === least || (mayBeWider && bits > least && given !== "f");
  return fits && (wanted === given || wanted === "b" || given === "b");
}
