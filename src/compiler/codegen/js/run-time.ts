// The helper functions that generated JavaScript may call; each is printed only where it is used. They equal the
// reference's functions (expr/scalar-math, expr/float16, expr/erf) bit for bit.

const views = `const $f32 = new Float32Array(1), $u32 = new Uint32Array($f32.buffer), $i32 = new Int32Array($f32.buffer);`;
const views64 = `const $f64 = new Float64Array(1), $i64 = new BigInt64Array($f64.buffer);`;

interface Helper {
  readonly text: string;
  readonly needs: readonly HelperName[];
}

const helper = (text: string, ...needs: HelperName[]): Helper => ({ text, needs });

export type HelperName =
  | "views"
  | "views64"
  | "$min"
  | "$max"
  | "$mod"
  | "$round"
  | "$pow"
  | "$erf"
  | "$trunc"
  | "$toF16"
  | "$fromF16"
  | "$roundF16"
  | "$toBf16"
  | "$fromBf16"
  | "$roundBf16"
  | "$toI64"
  | "$bitsF32"
  | "$floatI32"
  | "$bitsF64"
  | "$floatI64";

const helpers: Readonly<Record<HelperName, Helper>> = {
  views: helper(views),
  views64: helper(views64),
  $min: helper("function $min(a, b) { return b < a ? b : a; }"),
  $max: helper("function $max(a, b) { return a < b ? b : a; }"),
  $mod: helper("function $mod(a, b) { return a - Math.floor(a / b) * b; }"),
  $round: helper(`function $round(x) {
  if (!(Math.abs(x) < 4503599627370496)) return x;
  const below = Math.floor(x), fraction = x - below;
  const rounded = fraction < 0.5 || (fraction === 0.5 && below % 2 === 0) ? below : below + 1;
  return rounded === 0 && (x < 0 || 1 / x < 0) ? -0 : rounded;
}`),
  $pow: helper("function $pow(a, b) { return a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b; }"),
  $erf: helper(`function $erf(x) {
  if (x !== x || x === 0) return x;
  if (Math.abs(x) >= 6) return Math.sign(x);
  let term = x, sum = x;
  for (let n = 1; Math.abs(term) > Math.abs(sum) * 2 ** -55; n++) sum += term *= (2 * x * x) / (2 * n + 1);
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}`),
  $trunc: helper(`function $trunc(x, min, max) {
  return x !== x ? 0 : Math.min(max, Math.max(min, Math.trunc(x))) + 0;
}`),
  $toF16: helper(
    `function $toF16(x) {
  $f32[0] = x;
  const sign = ($u32[0] >>> 16) & 0x8000, magnitude = $u32[0] & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude >= 0x38800000) return sign | ((magnitude - (112 << 23) + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
  $u32[0] = magnitude;
  $f32[0] += 0.5;
  return sign | ($u32[0] - 0x3f000000);
}`,
    "views",
  ),
  $fromF16: helper(`function $fromF16(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >>> 10) & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}`),
  $roundF16: helper("function $roundF16(x) { return $fromF16($toF16(x)); }", "$fromF16", "$toF16"),
  $toBf16: helper(
    `function $toBf16(x) {
  $f32[0] = x;
  const bits = $u32[0];
  return x !== x ? (bits >>> 16) | 64 : ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}`,
    "views",
  ),
  $fromBf16: helper("function $fromBf16(bits) { $u32[0] = bits << 16; return $f32[0]; }", "views"),
  $roundBf16: helper("function $roundBf16(x) { return $fromBf16($toBf16(x)); }", "$fromBf16", "$toBf16"),
  $toI64: helper(`function $toI64(x) {
  if (Math.abs(x) < 9223372036854775808) return BigInt(Math.trunc(x));
  return x > 0 ? 9223372036854775807n : x < 0 ? -9223372036854775808n : 0n;
}`),
  $bitsF32: helper("function $bitsF32(x) { $f32[0] = x; return $i32[0]; }", "views"),
  $floatI32: helper("function $floatI32(x) { $i32[0] = x; return $f32[0]; }", "views"),
  $bitsF64: helper("function $bitsF64(x) { $f64[0] = x; return $i64[0]; }", "views64"),
  $floatI64: helper("function $floatI64(x) { $i64[0] = x; return $f64[0]; }", "views64"),
};

/** The texts of the helpers that were asked for and those that they need, in the order of the table. */
export function helperTexts(used: ReadonlySet<HelperName>): readonly string[] {
  const all = new Set<HelperName>();
  const include = (name: HelperName): void => {
    all.add(name);
    for (const need of helpers[name].needs) include(need);
  };
  for (const name of used) include(name);
  return (Object.keys(helpers) as HelperName[]).filter((name) => all.has(name)).map((name) => helpers[name].text);
}
