// A short loop inside the lanes, each iteration of which stores the next element → one vector an iteration, stored as one run with their
// lanes in turns.
//
//   for c in 0..3 (unrolled)                         let a, b, d be the vectors of x · 1, x · 2 and x · 3
//     Y[3·v + c] = X[v] * (c + 1), lanes v      →    Y[ramp(0, 1, 24)] = pick(a, b, d; 0 8 16 1 9 17 …)

import { coefficientOf, fromAffine, withoutVar } from "../../../ir/affine.ts";
import { constInt, ifThen, interleave, pick, ramp } from "../../../ir/build.ts";
import { assume, conjunctsOf } from "../../../ir/compare.ts";
import { bytesOfElement } from "../../../ir/element-bytes.ts";
import type { Expr, For, Stmt } from "../../../ir/loop-ir.ts";
import { withRange } from "../../../ir/ranges.ts";
import { simplifyAffine, simplifyExpr } from "../../../ir/simplify.ts";
import { updateOperand, updateStore } from "../../../ir/update.ts";
import { someExpr, substitute } from "../../../ir/visit.ts";
import { mentions } from "./active-lanes.ts";
import { type VectorSite, vectorValue } from "./vector-value.ts";

/** Most vectors that take turns. */
const mostTurns = 8;

/** Returns the store of all vectors. Null: the loop is none of such elements. All lanes count. */
export function storeInTurns({ name, extent, mark, body }: For, site: VectorSite): Stmt | null {
  if (!site.picksLanes || mark !== "unrolled" || extent < 2 || extent > mostTurns) return null;
  return inTurns(body, { name, extent }, site);
}

function inTurns(body: Stmt, turn: Pick<For, "name" | "extent">, site: VectorSite): Stmt | null {
  const { name: lane, lanes, ranges } = site;
  const { name, extent } = turn;
  const varies = (expr: Expr): boolean => mentions(expr, lane) || mentions(expr, name);
  if (body.kind === "if") {
    const { condition } = body;
    if (body.else || varies(condition)) return null;
    const known = conjunctsOf(condition).reduce((so, it) => assume(it, so), ranges);
    const then = inTurns(body.then, turn, { ...site, ranges: known });
    return then && ifThen(condition, then);
  }
  if (body.kind !== "store" || body.active || body.value.dtype === "bool") return null;
  const place = simplifyAffine(body.indices[0]!, withRange(ranges, name, 0, extent - 1));
  const rest = withoutVar(withoutVar(place, lane), name);
  const isRun = coefficientOf(place, lane) === extent && coefficientOf(place, name) === 1;
  if (!isRun || rest.terms.some(({ atom }) => varies(atom))) return null;
  if (someExpr(body.value, (each) => each.kind === "load" && each.buffer === body.buffer)) return null;
  const parts = Array.from({ length: extent }, (_, at) => {
    const value = simplifyExpr(substitute(body.value, new Map([[name, constInt(at)]])), ranges);
    return vectorValue(value, site, null)?.expr;
  });
  if (!parts.every((part) => part !== undefined)) return null;
  return updateStore(body, { indices: [ramp(fromAffine(rest), 1, lanes * extent)], value: takingTurns(parts, lanes) });
}

/** The lanes of vectors in turns. Those that become narrower do so behind: wide lanes take fewer instructions to shuffle. */
function takingTurns(parts: readonly Expr[], lanes: number): Expr {
  const [first] = parts;
  const operands = parts.flatMap((part) => (part.kind === "cast" ? [part.operand] : []));
  if (first?.kind === "cast" && operands.length === parts.length) {
    const from = first.operand.dtype;
    const isNarrowed =
      operands.every(({ dtype }) => dtype === from) && bytesOfElement(from) > bytesOfElement(first.dtype);
    if (isNarrowed) return updateOperand(first, takingTurns(operands, lanes));
  }
  const count = parts.length;
  if (Number.isInteger(Math.log2(count)))
    return count > 2 && isWide(first!) ? inStages(parts, lanes) : interleave(parts);
  const places = Array.from({ length: lanes * count }, (_, at) => (at % count) * lanes + Math.floor(at / count));
  return pick(parts, places);
}

/** Lanes of fewer bytes are better shuffled in pairs, as wider ones. */
const isWide = ({ dtype }: Expr): boolean => bytesOfElement(dtype) >= 4;

/**
 * The lanes of 4 or 8 vectors in turns, by stages of shuffles that two results have in common each time.
 *
 *   a b c d   →   a0 c0 a1 c1, b0 d0 b1 d1, a2 c2 a3 c3, b2 d2 b3 d3   →   a0 b0 c0 d0, a1 b1 c1 d1, a2 b2 c2 d2, a3 b3 c3 d3
 */
function inStages(parts: readonly Expr[], lanes: number): Expr {
  const inOrder = turned(parts, lanes);
  return pick(inOrder, [...Array(lanes * parts.length).keys()]);
}

/** The vectors in their order; those of the first half of lanes come first. */
function turned(parts: readonly Expr[], lanes: number): readonly Expr[] {
  const half = parts.length / 2;
  if (half < 1) return parts;
  const pairs = parts.slice(0, half).map((part, at) => [part, parts[at + half]!]);
  return [0, lanes / 2].flatMap((from) => {
    const places = Array.from({ length: lanes }, (_, lane) => (lane % 2) * lanes + from + Math.floor(lane / 2));
    return turned(
      pairs.map((pair) => pick(pair, places)),
      lanes,
    );
  });
}
