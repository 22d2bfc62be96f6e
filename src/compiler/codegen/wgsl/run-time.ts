// Functions that generated WGSL may call; each is printed only where it is used. Integers divide by zero to zero, and what
// overflows wraps, as in the loop IR.

import { mathHelpers, mathNeeds } from "./math.ts";

const helpers = {
  // Infinities and NaN are errors in a constant, and none in the value of a call.
  uk_float: "fn uk_float(bits: u32) -> f32 { return bitcast<f32>(bits); }",
  uk_min_f32: "fn uk_min_f32(a: f32, b: f32) -> f32 { return select(a, b, b < a); }",
  uk_max_f32: "fn uk_max_f32(a: f32, b: f32) -> f32 { return select(a, b, a < b); }",
  uk_div_i32: "fn uk_div_i32(a: i32, b: i32) -> i32 { return select(a / b, 0, b == 0); }",
  uk_floor_div_i32: `fn uk_floor_div_i32(a: i32, b: i32) -> i32 {
  if (b == 0) { return 0; }
  let q = a / b;
  let r = a - q * b;
  return q - i32((r != 0) && ((r < 0) != (b < 0)));
}`,
  uk_floor_mod_i32: `fn uk_floor_mod_i32(a: i32, b: i32) -> i32 {
  if (b == 0) { return 0; }
  let r = a - a / b * b;
  return select(r, r + b, (r != 0) && ((r < 0) != (b < 0)));
}`,
  // The conversion of the language stops at the last f32 below 2^31, and says nothing of NaN.
  uk_f32_to_i32: `fn uk_f32_to_i32(x: f32) -> i32 {
  if ((bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u) { return 0; }
  if (x >= 2147483648.0f) { return 2147483647; }
  return i32(max(x, -2147483648.0f));
}`,
  uk_f16_bits: `fn uk_f16_bits(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let sign = (bits >> 16u) & 0x8000u;
  let m = bits & 0x7fffffffu;
  if (m > 0x7f800000u) { return sign | 0x7e00u; }
  if (m >= 0x477ff000u) { return sign | 0x7c00u; }
  if (m >= 0x38800000u) { return sign | ((m - 0x38000000u + 0xfffu + ((m >> 13u) & 1u)) >> 13u); }
  let shift = 126u - (m >> 23u);
  if (shift > 24u) { return sign; }
  let fraction = (m & 0x7fffffu) | 0x800000u;
  return sign | ((fraction + (1u << (shift - 1u)) - 1u + ((fraction >> shift) & 1u)) >> shift);
}`,
  uk_bf16_bits: `fn uk_bf16_bits(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) { return (bits >> 16u) | 64u; }
  return (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
}`,
  uk_round_f16: "fn uk_round_f16(x: f32) -> f32 { return unpack2x16float(uk_f16_bits(x)).x; }",
  uk_round_bf16: "fn uk_round_bf16(x: f32) -> f32 { return bitcast<f32>(uk_bf16_bits(x) << 16u); }",
  // A bit stands for those that f32 has no room for, so that the value is rounded once.
  uk_i32_to_bf16: `fn uk_i32_to_bf16(x: i32) -> f32 {
  let short = (x & -128) | select(0, 128, (x & 127) != 0);
  return uk_round_bf16(f32(select(x, short, abs(x) >= 16777216 || x == -2147483647 - 1)));
}`,
  ...mathHelpers,
} as const;

type ScalarHelper = keyof typeof helpers;

/** A helper, or the same for each lane of a vector: uk_min_f32_x4. */
export type HelperName = ScalarHelper | `${ScalarHelper}_x${2 | 3 | 4}`;

const needs: Partial<Record<ScalarHelper, readonly ScalarHelper[]>> = {
  uk_round_f16: ["uk_f16_bits"],
  uk_round_bf16: ["uk_bf16_bits"],
  uk_i32_to_bf16: ["uk_round_bf16", "uk_bf16_bits"],
  ...mathNeeds,
};

/** Returns the texts of helpers and of those that they need, in the order of the table. */
export function helperTexts(used: ReadonlySet<HelperName>): readonly string[] {
  const scalars = new Set<string>();
  for (const name of used) {
    const scalar = name.replace(/_x\d$/, "") as ScalarHelper;
    for (const each of [scalar, ...(needs[scalar] ?? [])]) scalars.add(each);
  }
  const known = (Object.keys(helpers) as ScalarHelper[]).filter((name) => scalars.has(name));
  const vectors = [...used].filter((name) => /_x\d$/.test(name)).sort();
  return [...known.map((name) => helpers[name]), ...vectors.map(vectorHelper)];
}

/** The same function for each lane. */
function vectorHelper(name: string): string {
  const [, scalar, lanes] = /^(.*)_x(\d)$/.exec(name) as unknown as [string, ScalarHelper, string];
  const [, list, result] = /\((.*?)\) -> (\w+)/.exec(helpers[scalar]) as unknown as [string, string, string];
  const parameters = list.split(", ").map((each) => each.split(": ") as [string, string]);
  const typed = parameters.map(([parameter, type]) => `${parameter}: vec${lanes}<${type}>`).join(", ");
  const calls = Array.from({ length: Number(lanes) }, (_, at) => {
    return `${scalar}(${parameters.map(([parameter]) => `${parameter}.${"xyzw"[at]}`).join(", ")})`;
  });
  return `fn ${name}(${typed}) -> vec${lanes}<${result}> { return vec${lanes}<${result}>(${calls.join(", ")}); }`;
}
