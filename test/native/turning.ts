// A kernel of two loops that threads share: what it computes goes through a buffer that every iteration writes anew, and through one
// of which each reads what another loop has written.

import { add, constInt, forLoop, loadOf, mul, ramp, store, sub, variable } from "../../src/compiler/ir/build.ts";
import type { Expr, LoopFunc, Stmt } from "../../src/compiler/ir/loop-ir.ts";
import { body, buffer } from "../compiler/codegen/c/flat-functions.ts";

export const [parts, length] = [13, 512];

const at = (part: Expr): Expr => add(mul(part, constInt(length)), mul(variable("i"), constInt(4)));
const inPart = ramp(mul(variable("i"), constInt(4)), 1, 4);
const turnedAround = ramp(sub(constInt(length - 1), mul(variable("i"), constInt(4))), -1, 4);
const eachVector = (stmt: Stmt): Stmt => forLoop("i", length / 4, stmt);

/**
 * Each part of x is turned around and doubled, by way of `t`, which every part writes anew. Then y gets the parts in reverse,
 * of `s`, of which each iteration reads what another loop has written.
 */
export function turning(name: string): LoopFunc {
  const all = parts * length;
  const [x, y] = [buffer("x", "f64", all, "input"), buffer("y", "f64", all, "output")];
  const [t, s] = [buffer("t", "f64", length, "workspace"), buffer("s", "f64", all, "workspace")];
  const [p, q] = [variable("p"), variable("q")];
  const turnPart = body(
    eachVector(store(t, [inPart], loadOf(x, [ramp(at(p), 1, 4)]))),
    eachVector(store(s, [ramp(at(p), 1, 4)], add(loadOf(t, [turnedAround]), loadOf(t, [turnedAround])))),
  );
  const reverseParts = body(
    eachVector(store(t, [inPart], loadOf(s, [ramp(at(sub(constInt(parts - 1), q)), 1, 4)]))),
    eachVector(store(y, [ramp(at(q), 1, 4)], loadOf(t, [inPart]))),
  );
  return {
    name,
    buffers: [x, y, t, s],
    body: body(forLoop("p", parts, turnPart, "parallel"), forLoop("q", parts, reverseParts, "parallel")),
  };
}

export const input = Float64Array.from({ length: parts * length }, (_, at) => at + 1);
/** All of it backwards. */
export const expected = input.map((value) => 2 * value).toReversed();
