// The module with which the limits of WASM are measured, as text: what src/native/limits/wasm-limits.ts has as bytes.

const accumulators = Array.from({ length: 12 }, (_, at) => `$s${at}`);

const locals = (names: readonly string[]): string => names.map((name) => `(local ${name} v128)`).join(" ");
const sum = (names: readonly string[]): string =>
  names.reduce((so, name) => `(f32x4.add ${so} (local.get ${name}))`, "(v128.const f32x4 0 0 0 0)");

/** So many multiplications and additions in each of `steps`, and the sum of so many bytes, a vector at a time. */
export const limitsText = (): string => `(module
  (memory (export "memory") 1024)
  (func (export "arithmetic") (param $steps i32) (local $a v128) (local $b v128) ${locals(accumulators)}
    (local.set $a (v128.load (i32.const 0)))
    (local.set $b (v128.load (i32.const 16)))
    (loop $again
      ${accumulators.map((s) => `(local.set ${s} (f32x4.add (f32x4.mul (local.get ${s}) (local.get $a)) (local.get $b)))`).join("\n      ")}
      (local.set $steps (i32.sub (local.get $steps) (i32.const 1)))
      (br_if $again (local.get $steps)))
    (v128.store (i32.const 32) ${sum(accumulators)}))
  (func (export "reading") (param $at i32) (param $end i32) ${locals(accumulators.slice(0, 8))}
    (loop $again
      ${accumulators
        .slice(0, 8)
        .map((s, at) => `(local.set ${s} (f32x4.add (local.get ${s}) (v128.load offset=${16 * at} (local.get $at))))`)
        .join("\n      ")}
      (local.set $at (i32.add (local.get $at) (i32.const 128)))
      (br_if $again (i32.lt_u (local.get $at) (local.get $end))))
    (v128.store (i32.const 32) ${sum(accumulators.slice(0, 8))})))`;
