// What the rules ask about a stage: its axes, how each operand is read along them, who reads its result.

import {
  type Block,
  blocksIn,
  type ComputeDef,
  type DType,
  type Expr,
  fromCompute,
  type IrType,
  mapExpr,
  toAffine,
} from "../../compiler/index.ts";

/** One read of a buffer: for each dimension the coefficient of every axis in its index. Null where it is not affine. */
export interface Access {
  readonly buffer: string;
  readonly dtype: DType;
  readonly dims: readonly (ReadonlyMap<string, number> | null)[];
}

export interface StageFacts {
  readonly name: string;
  readonly block: Block;
  readonly spatial: readonly { readonly name: string; readonly extent: number }[];
  readonly reduce: readonly { readonly name: string; readonly extent: number }[];
  readonly reads: readonly Access[];
  /** Element type of the result. */
  readonly dtype: DType;
  readonly isOutput: boolean;
  /** Names of the stages that read this one. */
  readonly readers: readonly string[];
  /** Scalar operations of one instance of the body, reads not counted. */
  readonly operations: number;
  /** Whether the body calls exp, log or the like. */
  readonly callsFunctions: boolean;
}

const functions = new Set(["exp", "log", "tanh", "erf", "sigmoid", "rsqrt", "sqrt", "pow"]);

/** Facts of all stages, in the order of the operator. */
export function stageFacts(def: ComputeDef): readonly StageFacts[] {
  const blocks = blocksIn(fromCompute(def).body);
  const reads = new Map(blocks.map((block) => [block.name, readsOf(block)]));
  return blocks.map((block): StageFacts => {
    const axes = (role: "spatial" | "reduce") => block.axes.filter((axis) => axis.role === role);
    return {
      name: block.name,
      block,
      spatial: axes("spatial"),
      reduce: axes("reduce"),
      reads: reads.get(block.name)!,
      dtype: storedType(block.value.dtype),
      isOutput: def.outputs.includes(block.name),
      readers: blocks
        .filter((other) => reads.get(other.name)!.some((read) => read.buffer === block.buffer))
        .map((other) => other.name),
      ...costOf(block.value),
    };
  });
}

function readsOf(block: Block): Access[] {
  const reads: Access[] = [];
  mapExpr(block.value, (node) => {
    if (node.kind === "load" && node.buffer !== block.buffer) {
      reads.push({ buffer: node.buffer, dtype: storedType(node.dtype), dims: node.indices.map(coefficients) });
    }
    return node;
  });
  return reads;
}

/** No buffer holds i64; the type exists for bit patterns only. */
const storedType = (dtype: IrType): DType => (dtype === "i64" ? "f64" : dtype);

function coefficients(index: Expr): ReadonlyMap<string, number> | null {
  const { terms } = toAffine(index);
  const entries = terms.map(({ atom, coefficient }): [string, number] | null =>
    atom.kind === "var" ? [atom.name, coefficient] : null,
  );
  return entries.some((entry) => entry === null) ? null : new Map(entries as [string, number][]);
}

/** Index arithmetic and guards are not counted: they are a loop's business, not an element's. */
function costOf(value: Expr): { operations: number; callsFunctions: boolean } {
  switch (value.kind) {
    case "unary":
    case "binary": {
      const operands = value.kind === "unary" ? [value.operand] : [value.left, value.right];
      const costs = operands.map(costOf);
      return {
        operations: 1 + costs.reduce((sum, cost) => sum + cost.operations, 0),
        callsFunctions: functions.has(value.op) || costs.some((cost) => cost.callsFunctions),
      };
    }
    case "select":
      return costOf(value.then);
    case "cast":
      return costOf(value.operand);
    default:
      return { operations: 0, callsFunctions: false };
  }
}

/** Whether an access does not move, or moves by one element, when the axis does. */
export function isVectorizable(access: Access, axis: string): boolean {
  return access.dims.every((dim, at) => {
    if (dim === null) return false;
    const coefficient = dim.get(axis) ?? 0;
    return coefficient === 0 || (coefficient === 1 && at === access.dims.length - 1);
  });
}

export const dependsOn = (access: Access, axis: string): boolean =>
  access.dims.some((dim) => dim === null || dim.has(axis));

/** Whether an element of the operand is read by several elements of the result: what makes tiling and packing pay. */
export const isReused = (stage: StageFacts, access: Access): boolean =>
  stage.spatial.some((axis) => axis.extent > 1 && !dependsOn(access, axis.name));

/** Arithmetic operations of the whole operator: a multiply-add is 2. */
export const totalFlops = (def: ComputeDef): number =>
  stageFacts(def).reduce((sum, { spatial, reduce, operations }) => {
    const instances = [...spatial, ...reduce].reduce((count, { extent }) => count * extent, 1);
    return sum + instances * operations;
  }, 0);
