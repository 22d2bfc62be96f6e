// The inclusive prefix sum of each row: Y[i, j] = Σ X[i, k] over k ≤ j.
//
// The language has no loop that carries a value, so a scan is products with a triangle of ones, as Heron writes it (Xing et
// al., ASPLOS 2023; Dakkak et al., ICS 2019). One triangle would cost N² / 2 additions a row. Two levels cost N · B + (N / B)²:
// prefix sums within blocks of B, a prefix sum of the blocks' totals, and their sum. B ≈ ∛(2N), a power of two from 16 on,
// makes that least: 16 additions an element for N = 1024, 35 for 8192, where a loop would do one, but not in vectors.

import { compute, defineOp, type Op, reduceAxis, select, sum as sumOver, tensor } from "../expr/authoring.ts";
import { checked } from "../expr/library-arguments.ts";
import { factor, sumType } from "./accumulate.ts";
import { store } from "./epilogue.ts";
import { type RowsParameters, rowsKinds } from "./sum.ts";

/** @example export default scan({ M: 64, N: 1024 }); */
export function scan(parameters: RowsParameters): Op {
  return defineOp({ dtype: "f32", ...checked("scan", rowsKinds, parameters) }, ({ M, N, dtype }) => {
    const X = tensor("X", [M, N], dtype);
    const block = Math.min(N, Math.max(16, 2 ** Math.round(Math.log2(Math.cbrt(2 * N)))));
    const blocks = Math.ceil(N / block);
    const s = reduceAxis("s", block);
    const c = reduceAxis("c", blocks);
    const within = compute("within", [M, blocks, block], (i, b, t) => {
      const at = b.mul(block).add(s);
      const isBefore = N % block === 0 ? s.le(t) : s.le(t).and(at.lt(N));
      return sumOver(select(isBefore, factor(X(i, at)), 0), s);
    });
    const before = compute("before", [M, blocks], (i, b) => sumOver(select(c.lt(b), within(i, c, block - 1), 0), c));
    return compute("Y", [M, N], (i, j) => {
      const b = j.floorDiv(block);
      return store(within(i, b, j.mod(block)).add(before(i, b)), sumType(dtype));
    });
  });
}
