// The expression of an element → steps that compute its value in f64 and its error, each node once.

import type { ScalarExpr } from "../../compiler/index.ts";
import {
  type Bounded,
  binaryBounded,
  castBounded,
  constantBounded,
  selectBounded,
  unaryBounded,
} from "./error-rules.ts";

/** A tensor, row-major. */
export interface Approximate {
  readonly shape: readonly number[];
  readonly values: Float64Array;
  /** Largest error of each element; infinite where none is known. */
  readonly errors: Float64Array;
}

export interface ElementProgram {
  /** Number of nodes that one run evaluates. */
  readonly length: number;
  setAxis(name: string, value: number): void;
  /** Computes the element's value and error at the point that the axes are set to. */
  run(): Bounded;
}

export function elementProgram(body: ScalarExpr, tensors: ReadonlyMap<string, Approximate>): ElementProgram {
  const axes = new Map<string, { value: number }>();
  const steps: (() => void)[] = [];
  const slots = new Map<ScalarExpr, Slot>();

  const axisOf = (name: string): { value: number } => {
    const known = axes.get(name) ?? { value: 0 };
    axes.set(name, known);
    return known;
  };
  function slotOf(expr: ScalarExpr): Slot {
    const known = slots.get(expr);
    if (known) return known;
    const compute = computing(expr);
    const slot: Slot = { now: [0, 0] };
    slots.set(expr, slot);
    steps.push(() => {
      slot.now = compute();
    });
    return slot;
  }
  function computing(expr: ScalarExpr): () => Bounded {
    switch (expr.kind) {
      case "const": {
        const constant = constantBounded(expr);
        return () => constant;
      }
      case "axis": {
        const axis = axisOf(expr.name);
        return () => [axis.value, 0];
      }
      case "read":
        return reading(expr.indices.map(slotOf), tensors.get(expr.tensor)!);
      case "unary": {
        const operand = slotOf(expr.operand);
        return () => unaryBounded(expr, operand.now);
      }
      case "binary": {
        const [left, right] = [slotOf(expr.left), slotOf(expr.right)];
        return () => binaryBounded(expr, left.now, right.now);
      }
      case "select": {
        const [condition, then, otherwise] = [slotOf(expr.condition), slotOf(expr.then), slotOf(expr.else)];
        return () => selectBounded(condition.now, then.now, otherwise.now);
      }
      case "cast": {
        const operand = slotOf(expr.operand);
        return () => castBounded(expr, operand.now);
      }
    }
  }

  const result = slotOf(body);
  return {
    length: steps.length,
    setAxis: (name, value) => {
      axisOf(name).value = value;
    },
    run() {
      for (const step of steps) step();
      return result.now;
    },
  };
}

interface Slot {
  now: Bounded;
}

const nothing: Bounded = [Number.NaN, 0];

/**
 * Reads an element. Both sides of a choice are evaluated, so a read outside the tensor gives NaN: that side is not
 * taken.
 */
function reading(indices: readonly Slot[], { shape, values, errors }: Approximate): () => Bounded {
  return () => {
    let offset = 0;
    for (let dim = 0; dim < shape.length; dim++) {
      const [index, error] = indices[dim]!.now;
      if (error > 0) return [Number.NaN, Number.POSITIVE_INFINITY];
      if (!(index >= 0 && index < shape[dim]!)) return nothing;
      offset = offset * shape[dim]! + index;
    }
    return [values[offset]!, errors[offset]!];
  };
}
