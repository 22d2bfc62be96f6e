// The module with which the limits of WASM are measured, as text: what src/native/limits/wasm-limits.ts has as bytes.

const accumulators = Array.from({ length: 12 }, (_, at) => `$s${at}`);

const locals = (names: readonly string[]): string => names.map((name) => `(local ${name} v128)`).join(" ");
const sum = (names: readonly string[]): string =>
  names.reduce((so, name) => `(f32x4.add ${so} (local.get ${name}))`, "(v128.const f32x4 0 0 0 0)");

/** So many multiplications and additions in each of `steps`, on values in the first cache, and the sum of so many bytes. */
export const limitsText = (): string => `(module
  (memory (export "memory") 1024)
  (func (export "arithmetic") (param $steps i32) (local $at i32) (local $a v128) ${locals(accumulators)}
    (local.set $a (v128.load (i32.const 0)))
    (loop $again
      ${accumulators.map(addProduct).join("\n      ")}
      (local.set $at (i32.and (i32.add (local.get $at) (i32.const 192)) (i32.const 4095)))
      (local.set $steps (i32.sub (local.get $steps) (i32.const 1)))
      (br_if $again (local.get $steps)))
    (v128.store (i32.const 32) ${sum(accumulators)}))
  (func (export "reading") (param $at i32) (param $end i32) ${locals(readers)}
    (loop $again
      ${readers.map(addVector).join("\n      ")}
      (local.set $at (i32.add (local.get $at) (i32.const 128)))
      (br_if $again (i32.lt_u (local.get $at) (local.get $end))))
    (v128.store (i32.const 32) ${sum(readers)})))`;

const readers = accumulators.slice(0, 8);

const vectorAt = (place: number): string => `(v128.load offset=${16 * place} (local.get $at))`;

/** As a product of matrices does it: the sums alone wait for each other. */
const addProduct = (name: string, place: number): string =>
  `(local.set ${name} (f32x4.add (local.get ${name}) (f32x4.mul ${vectorAt(place)} (local.get $a))))`;

const addVector = (name: string, place: number): string =>
  `(local.set ${name} (f32x4.add (local.get ${name}) ${vectorAt(place)}))`;
