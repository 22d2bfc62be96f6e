// Closures of the operators that indices and sums are made of, on single values. Each has its code in a function of its own, which V8
// compiles whole: by way of tables of operators and types an interpreted kernel takes longer.
// They mean what scalar-ops.ts says. A value made of one that was never written is none.

import type { ScalarFn } from "./interpret-scope.ts";
import type { IrBinaryOp, IrType } from "./loop-ir.ts";

type Make = (left: ScalarFn, right: ScalarFn) => ScalarFn;

/** Values of i32 and f32 are numbers. */
type NumberFn = () => number | null;
const made =
  (make: (left: NumberFn, right: NumberFn) => NumberFn): Make =>
  (left, right) =>
    make(left as NumberFn, right as NumberFn);

const onI32: Partial<Record<IrBinaryOp, Make>> = {
  add: made((left, right) => () => {
    const a = left();
    const b = right();
    return a === null || b === null ? null : (a + b) | 0;
  }),
  sub: made((left, right) => () => {
    const a = left();
    const b = right();
    return a === null || b === null ? null : (a - b) | 0;
  }),
  mul: made((left, right) => () => {
    const a = left();
    const b = right();
    return a === null || b === null ? null : Math.imul(a, b);
  }),
  floorDiv: made((left, right) => () => {
    const a = left();
    const b = right();
    return a === null || b === null ? null : Math.floor(a / b) | 0;
  }),
  mod: made((left, right) => () => {
    const a = left();
    const b = right();
    return a === null || b === null ? null : (a - Math.floor(a / b) * b) | 0;
  }),
  lt: made((left, right) => () => {
    const a = left();
    const b = right();
    return a === null || b === null ? null : a < b ? 1 : 0;
  }),
  ge: made((left, right) => () => {
    const a = left();
    const b = right();
    return a === null || b === null ? null : a >= b ? 1 : 0;
  }),
};

const onF32: Partial<Record<IrBinaryOp, Make>> = {
  add: made((left, right) => () => {
    const a = left();
    const b = right();
    return a === null || b === null ? null : Math.fround(a + b);
  }),
  mul: made((left, right) => () => {
    const a = left();
    const b = right();
    return a === null || b === null ? null : Math.fround(a * b);
  }),
};

/** Returns the closure of an operator on operands of a type; null: it is none of those. */
export function commonBinary(op: IrBinaryOp, dtype: IrType, left: ScalarFn, right: ScalarFn): ScalarFn | null {
  const make = dtype === "i32" ? onI32[op] : dtype === "f32" ? onF32[op] : undefined;
  return make?.(left, right) ?? null;
}
