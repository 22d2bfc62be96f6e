// The two 16-bit floats: number ↔ bit pattern. bf16 is the upper half of an f32; f16 is IEEE 754 binary16.

const patternsOf = (numbers: Float32Array): Uint32Array => new Uint32Array(numbers.buffer);

// Programs that use neither leave both out.
const float = /* @__PURE__ */ new Float32Array(1);
const bits = /* @__PURE__ */ patternsOf(float);

function bitsOf(value: number): number {
  float[0] = value;
  return bits[0]!;
}

function floatOf(pattern: number): number {
  bits[0] = pattern;
  return float[0]!;
}

/** The nearest bf16, ties to even; the value is rounded to f32 first. NaN stays NaN (0x7fc0 with its sign). */
export function toBf16Bits(value: number): number {
  const pattern = bitsOf(value);
  if (Number.isNaN(value)) return (pattern >>> 16) | 0x40;
  return ((pattern + 0x7fff + ((pattern >>> 16) & 1)) >>> 16) & 0xffff;
}

export const fromBf16Bits = (pattern: number): number => floatOf((pattern & 0xffff) << 16);

/** The nearest f16, ties to even, overflow to infinity; the value is rounded to f32 first. NaN stays NaN. */
export function toF16Bits(value: number): number {
  const pattern = bitsOf(value);
  const sign = (pattern >>> 16) & 0x8000;
  const magnitude = pattern & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00; // 65520 and above round to infinity
  if (magnitude < 0x38800000) return sign | subnormalF16(floatOf(magnitude)); // below 2^-14
  // Rebias the exponent (127 → 15), then round at bit 13. A carry into the exponent is right as it is.
  const rebiased = magnitude - (112 << 23);
  return sign | ((rebiased + 0xfff + ((rebiased >>> 13) & 1)) >>> 13);
}

/** Adding 0.5 leaves 24 - 1 - 23 = 2^-24 as the last place of an f32: the unit of f16's subnormals. */
const subnormalF16 = (value: number): number => bitsOf(Math.fround(value + 0.5)) - 0x3f000000;

export function fromF16Bits(pattern: number): number {
  const sign = pattern & 0x8000 ? -1 : 1;
  const exponent = (pattern >>> 10) & 0x1f;
  const fraction = pattern & 0x3ff;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

export const roundToF16 = (value: number): number => fromF16Bits(toF16Bits(value));
export const roundToBf16 = (value: number): number => fromBf16Bits(toBf16Bits(value));
