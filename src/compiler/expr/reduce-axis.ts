// Axes: the reduce axes that users declare, and the records of all axes of an operator.

import { type AxisRecord, type Builder, builderFor, here } from "./builder.ts";
import { requireExtent, requireIdentifier } from "./declaration-check.ts";
import { inWords } from "./describe.ts";
import { ExprHandle } from "./expr-handle.ts";
import type { ReduceAxis } from "./expr-type.ts";
import type { Axis } from "./scalar-expr.ts";

export class ReduceAxisHandle extends ExprHandle<"i32"> implements ReduceAxis {
  readonly record: AxisRecord;

  constructor(record: AxisRecord) {
    super(record.node);
    this.record = record;
  }

  get axisName(): string {
    return this.record.node.name;
  }
  get extent(): number {
    return this.record.extent;
  }
  override get [inWords](): string {
    return `the reduce axis ${this.axisName}`;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `ReduceAxis ${this.axisName}, 0 to ${this.extent - 1}`;
  }
}

/**
 * An axis from 0 to `extent` - 1 that a reducer runs over; several reducers may use it.
 *
 * @example const k = reduceAxis("k", K); sum(A(i, k), k)
 */
export function reduceAxis(name: string, extent: number): ReduceAxis {
  const builder = builderFor("reduceAxis");
  requireIdentifier(name, "the name of a reduce axis");
  requireExtent(extent, `the extent of reduce axis ${name}`);
  return new ReduceAxisHandle(newAxis(builder, name, extent, null));
}

/** `owner` is the compute that it is an axis of, null for a reduce axis. */
export function newAxis(builder: Builder, name: string, extent: number, owner: string | null): AxisRecord {
  const record: AxisRecord = { node: { kind: "axis", name, dtype: "i32", loc: here() }, extent, owner };
  builder.axes.set(record.node, record);
  return record;
}

export const plainAxis = ({ node, extent }: AxisRecord): Axis => ({ name: node.name, extent });
