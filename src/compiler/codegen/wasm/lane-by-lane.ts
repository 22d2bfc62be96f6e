// Vectors made and read lane by lane: of scalars, of one constant, and of operators for which WASM has no vector instruction.

import type { Binary, IrType } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import { splatBytes } from "./const-bits.ts";
import type { Context } from "./context.ts";
import { type Code, get, i32, lane, set, v128, type WasmInstruction, zeroVector } from "./instruction.ts";
import type { LaneRange } from "./lane-range.ts";
import { vector } from "./operand.ts";
import { binaryCode, named } from "./scalar-arithmetic.ts";
import { vectorShape } from "./value-type.ts";

/** One constant in all lanes. */
export const splatConst = (dtype: IrType, value: number): WasmInstruction => {
  return v128(splatBytes(dtype, value));
};

/** Lane by lane; each element pushes a scalar of the shape's lane type. */
export function lanesFromScalars(elements: readonly Code[], shape: string): Code {
  const replace = (index: number): WasmInstruction => lane(`${shape}.replace_lane` as "i8x16.replace_lane", index);
  const [head = [i32(0)], ...tail] = elements;
  return [...head, named(`${shape}.splat`), ...tail.flatMap((code, index) => [...code, replace(index + 1)])];
}

/** Computes lane by lane, for operations for which WASM has no vector instruction. */
export function laneByLane(context: Context, { op, dtype, left, right }: Binary, range: LaneRange): Code {
  const { locals } = context;
  const [a, b] = [vector(context, left, range), vector(context, right, range)];
  const replace = named(`${vectorShape[dtype]}.replace_lane`);
  invariant(replace.kind === "plain", "a lane instruction without its lane");
  return locals.with("v128", (x) =>
    locals.with("v128", (y) => {
      const lanes = Array.from({ length: range.count }, (_, index) => {
        const laneOf = (operand: number): Code => [get(operand), extractLane(dtype, index)];
        return [...binaryCode(context, op, dtype, laneOf(x), laneOf(y)), lane(replace.op, index)];
      });
      return [...a, ...b, set(y), set(x), zeroVector, ...lanes.flat()];
    }),
  );
}

/** The lane of a vector on the stack, as scalars of its type are held. */
export function extractLane(dtype: IrType, index: number): WasmInstruction {
  const shape = vectorShape[dtype];
  if (shape !== "i8x16" && shape !== "i16x8") return lane(`${shape}.extract_lane`, index);
  return lane(`${shape}.extract_lane_${dtype === "i8" || dtype === "i16" ? "s" : "u"}`, index);
}
