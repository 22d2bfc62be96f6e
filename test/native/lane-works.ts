// Loops of one operation on vectors, and the most instructions that one of their iterations may take.

import { byteSize, type DType, dtypes, isFloat } from "../../src/compiler/expr/dtype.ts";
import type { CpuTarget } from "../../src/compiler/index.ts";
import { binary, broadcast, cast, constOf, select, unary } from "../../src/compiler/ir/build.ts";
import type { Expr, LoopFunc } from "../../src/compiler/ir/loop-ir.ts";
import { mapFunction, zipFunction } from "../compiler/codegen/c/flat-functions.ts";

export interface LaneWork {
  readonly func: LoopFunc;
  /** Most instructions of an iteration, and most of them that move single lanes. */
  readonly most: number;
  readonly mostMoves: number;
}

const iterations = 1000;

/** Counting, comparing and jumping, and what compilers add for addresses. */
const loopControl = 4;

/** From 4 lanes to a register of the narrowest type. Vectors of two lanes are less than instructions move. */
const laneCounts = (target: CpuTarget, narrowest: number): readonly number[] =>
  [4, 8, 16, 32, 64].filter((lanes) => lanes * narrowest <= target.vectorBytes);

function laneWork(target: CpuTarget, func: LoopFunc, lanes: number, widest: number, perRegister: number): LaneWork {
  const registers = Math.ceil((lanes * widest) / target.vectorBytes);
  return { func, most: loopControl + registers * perRegister, mostMoves: registers };
}

export const conversionLanes = (target: CpuTarget): readonly LaneWork[] =>
  dtypes.flatMap((from) =>
    dtypes
      .filter((to) => to !== from)
      .flatMap((to) =>
        laneCounts(target, Math.min(byteSize[from], byteSize[to])).map((lanes) => {
          const func = mapFunction(`${from}_${to}_${lanes}`, from, to, lanes, iterations, (x) => cast(to, x));
          const widest = Math.max(byteSize[from], byteSize[to], isHalf(from) || isHalf(to) ? 4 : 1);
          return laneWork(target, func, lanes, widest, conversionCost(from, to));
        }),
      ),
  );

const isHalf = (dtype: DType): boolean => dtype === "f16" || dtype === "bf16";

/** Instructions for a register of the wider type, its load and its store among them. */
function conversionCost(from: DType, to: DType): number {
  // Only AVX-512 has instructions for bf16: elsewhere it is rounded bit by bit.
  if (from === "bf16" || to === "bf16") return 22;
  if (from === "bool" || to === "bool") return 16;
  if (isFloat(from) && !isFloat(to)) return 14;
  return byteSize[from] > byteSize[to] ? 12 : 9;
}

interface Operation {
  readonly name: string;
  /** Instructions for a register, loads and stores among them. */
  readonly cost: number;
  /** Bytes of the widest type on the way. */
  readonly widest?: number;
  of(x: Expr, y: Expr, constant: (value: number, dtype?: DType) => Expr): Expr;
}

const operations: readonly Operation[] = [
  ...(["add", "sub"] as const).map((op): Operation => ({ name: op, cost: 4, of: (x, y) => binary(op, x, y) })),
  // Bytes by way of words; of fewer than 16 bytes clang makes more.
  { name: "mul", cost: 14, of: (x, y) => binary("mul", x, y) },
  ...(["min", "max"] as const).map((op): Operation => ({ name: op, cost: 12, of: (x, y) => binary(op, x, y) })),
  ...(["lt", "eq"] as const).map((op): Operation => ({ name: op, cost: 10, of: (x, y) => binary(op, x, y) })),
  ...(["neg", "abs"] as const).map((op): Operation => ({ name: op, cost: 5, of: (x) => unary(op, x) })),
  { name: "select", cost: 6, of: (x, y, constant) => select(binary("lt", x, y), x, constant(3)) },
  ...(["floorDiv", "mod"] as const).flatMap((op): readonly Operation[] => [
    { name: `${op}_16`, cost: 6, of: (x, _, constant) => binary(op, x, constant(16)) },
    { name: `${op}_9`, cost: 16, widest: 2, of: (x, _, constant) => binary(op, x, constant(9)) },
  ]),
  {
    name: "average",
    cost: 12,
    widest: 4,
    of: (x, y, constant) =>
      cast(x.dtype, binary("floorDiv", binary("add", cast("i32", x), cast("i32", y)), constant(2, "i32"))),
  },
  { name: "product", cost: 5, widest: 4, of: (x, y) => binary("mul", cast("i32", x), cast("i32", y)) },
];

const integers = ["u8", "i8", "i16", "i32"] as const;

export const operationLanes = (target: CpuTarget): readonly LaneWork[] =>
  operations.flatMap(({ name, cost, widest = 1, of }) =>
    // The absolute value of an unsigned byte is a copy, so it is left out.
    integers
      .filter((dtype) => name !== "abs" || dtype !== "u8")
      .flatMap((dtype) =>
        laneCounts(target, byteSize[dtype]).map((lanes) => {
          const func = zipFunction(`${name}_${dtype}_${lanes}`, dtype, lanes, iterations, (x, y) =>
            of(x, y, (value, type = dtype) => broadcast(constOf(type, value), lanes)),
          );
          return laneWork(target, func, lanes, Math.max(widest, byteSize[dtype]), cost);
        }),
      ),
  );

export const scalarDivisions: readonly Pick<LaneWork, "func">[] = integers.flatMap((dtype) =>
  (["floorDiv", "mod"] as const).flatMap((op) =>
    [16, 9].map((divisor) => ({
      func: mapFunction(`${op}_${divisor}_${dtype}_1`, dtype, dtype, 1, iterations, (x) =>
        binary(op, x, constOf(dtype, divisor)),
      ),
    })),
  ),
);
