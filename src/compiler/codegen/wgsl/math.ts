// Functions that WGSL lacks, or is allowed to compute roughly: exp, log, tanh, erf, sigmoid, pow on f32. They lose no digits where a
// compiler takes sums apart or fuses them, as it may in WGSL: they round by `round`, and split numbers by their bits. Within 2 ulp where
// the machine rounds sums, products and quotients as IEEE 754 says.

const isNan = "(bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u";

/** Horner's rule. Machines that have an instruction for `a · b + c` use it; `fma` is a call for each number on those that have none. */
const polynomial = (x: string, highest: string, ...lower: readonly string[]): string =>
  lower.reduce((sum, coefficient) => `(${sum} * ${x} + ${coefficient})`, highest);

/** e^x = 2^n · e^r; the polynomial is that of `lower/math/exp.ts`. 2^n is made in two factors, as results may be subnormal. */
const exp = `fn uk_exp_f32(x: f32) -> f32 {
  let t = clamp(x, -104.0f, 89.0f);
  let n = round(t * 1.442695f);
  let r = fma(n, 0.00021219444f, n * -0.6933594f + t);
  let q = ${polynomial("r", "0.0013814467f", "0.008368781f", "0.041668393f", "0.1666652f", "0.49999994f")};
  return select(uk_scale(q * (r * r) + r + 1.0f, i32(n)), x, ${isNan});
}`;

const scale = `fn uk_scale(x: f32, n: i32) -> f32 {
  let half = n >> 1u;
  return x * bitcast<f32>((half + 127) << 23u) * bitcast<f32>((n - half + 127) << 23u);
}`;

/** log x = e · ln 2 + log m with m in √½..√2; the polynomial is that of `lower/math/log.ts`. */
const log = `fn uk_log_f32(x: f32) -> f32 {
  if (${isNan} || x == uk_float(0x7f800000u)) { return x; }
  if (x <= 0.0f) { return select(uk_float(0x7fc00000u), uk_float(0xff800000u), x == 0.0f); }
  let small = x < 1.1754944e-38f;
  let bits = bitcast<i32>(select(x, x * 8388608.0f, small)) - 0x3f3504f3;
  let e = f32((bits >> 23u) - select(0, 23, small));
  let f = bitcast<f32>((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;
  let z = f * f;
  let p = ${polynomial("f", "0.070376836f", "-0.1151461f", "0.11676999f", "-0.12420141f", "0.14249323f")};
  let q = ${polynomial("f", "p", "-0.16668057f", "0.20000714f", "-0.24999994f", "0.33333331f")};
  return fma(e, 0.6933594f, f + (z * -0.5f + (q * (f * z) + e * -0.00021219444f)));
}`;

const tanh = `fn uk_tanh_f32(x: f32) -> f32 {
  let a = abs(x);
  let z = a * a;
  let p = ${polynomial("z", "-0.0057049887f", "0.020639088f", "-0.053739715f", "0.13331442f", "-0.33333282f")};
  let large = 1.0f - 2.0f / (uk_exp_f32(min(a, 20.0f) * 2.0f) + 1.0f);
  return select(uk_signed(select(large, a * z * p + a, a < 0.625f), x), x, ${isNan});
}`;

/** The sign of `sign` put before a number that is not negative. */
const signed = `fn uk_signed(x: f32, sign: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) | (bitcast<u32>(sign) & 0x80000000u));
}`;

/** The polynomials are those of `lower/math/erf.ts`. */
const erf = `fn uk_erf_f32(x: f32) -> f32 {
  let a = abs(x);
  let z = x * x;
  let p = ${polynomial("z", "-0.0005967617f", "0.0049911942f", "-0.026767867f", "0.11281972f", "-0.37612534f")};
  let near = (p * z + 0.12837917f) * x + x;
  let t = min(a, 4.0f);
  let q = ${polynomial("t", "-1.7285347e-5f", "0.00038319713f", "-0.003883964f", "0.024254622f")};
  let e = ${polynomial("t", "q", "-0.10677788f", "-0.6348467f", "-0.12871751f")};
  let far = uk_signed(1.0f - uk_exp_f32(e * t - t), x);
  return select(select(near, far, a > 0.9277344f), x, ${isNan});
}`;

const sigmoid = `fn uk_sigmoid_f32(x: f32) -> f32 {
  let e = uk_exp_f32(-abs(x));
  return select(1.0f, e, x < 0.0f) / (1.0f + e);
}`;

/**
 * |x|^y = 2^(y · log2 |x|), with the special cases of C99. The exponent of x and the high digits of numbers have few bits, so that products
 * of them are exact, fused or not.
 */
const pow = `fn uk_pow_f32(x: f32, y: f32) -> f32 {
  if (x == 1.0f || y == 0.0f) { return 1.0f; }
  if (${isNan}) { return x; }
  if (${isNan.replace("x)", "y)")}) { return y; }
  let a = abs(x);
  let infinity = uk_float(0x7f800000u);
  let whole = floor(y) == y;
  let odd = whole && floor(y * 0.5f) != y * 0.5f;
  var size = uk_power(a, y);
  if (a == 1.0f) { size = 1.0f; }
  else if (a == 0.0f || a == infinity || abs(y) == infinity) {
    size = select(infinity, 0.0f, (a < 1.0f) == (y > 0.0f));
  }
  if (x < 0.0f && x != -infinity && !whole) { return uk_float(0x7fc00000u); }
  return select(size, uk_signed(size, x), odd);
}`;

const power = `fn uk_power(a: f32, y: f32) -> f32 {
  let small = a < 1.1754944e-38f;
  let bits = bitcast<i32>(select(a, a * 8388608.0f, small)) - 0x3f3504f3;
  let e = f32((bits >> 23u) - select(0, 23, small));
  let m = bitcast<f32>((bits & 0x7fffff) + 0x3f3504f3);
  let f = m - 1.0f;
  let d = m + 1.0f;
  let s = f / d;
  let a1 = uk_high(s);
  let a2 = s - a1;
  let d1 = uk_high(d);
  let lost = ((f - a1 * d1) - a1 * (m - (d1 - 1.0f))) - a2 * d;
  let z = s * s;
  let series = ${polynomial("z", "0.26230819f", "0.3205989f", "0.41219859f", "0.57707802f", "0.96179669f")} * z * s;
  let high = uk_high(s * 2.8853901f);
  let rest = (a1 * 2.8847656f - high) + (a1 * 0.0006244568f + a2 * 2.8853901f) + lost * (2.8853901f / d) + series;
  let u = uk_high(y);
  let v = y - u;
  let sum = u * e;
  let n = clamp(round(sum + y * (high + rest)), -300.0f, 300.0f);
  let r = ((sum - n) + u * high) + (v * e + (v * high + y * rest));
  return select(uk_scale(uk_exp_f32(clamp(r, -40.0f, 40.0f) * 0.6931472f), clamp(i32(n), -252, 252)), 0.0f, n < -200.0f);
}`;

/** The number without its low twelve bits. */
const high = "fn uk_high(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u); }";

export const mathHelpers = {
  uk_scale: scale,
  uk_signed: signed,
  uk_high: high,
  uk_exp_f32: exp,
  uk_log_f32: log,
  uk_tanh_f32: tanh,
  uk_erf_f32: erf,
  uk_sigmoid_f32: sigmoid,
  uk_power: power,
  uk_pow_f32: pow,
} as const;

export const mathNeeds = {
  uk_exp_f32: ["uk_scale"],
  uk_log_f32: ["uk_float"],
  uk_tanh_f32: ["uk_exp_f32", "uk_scale", "uk_signed"],
  uk_erf_f32: ["uk_exp_f32", "uk_scale", "uk_signed"],
  uk_sigmoid_f32: ["uk_exp_f32", "uk_scale"],
  uk_pow_f32: ["uk_power", "uk_high", "uk_exp_f32", "uk_scale", "uk_signed", "uk_float"],
} as const;
