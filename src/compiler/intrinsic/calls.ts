// A kernel of nothing but calls of an intrinsic, in the flat form: what shows whether its text computes its meaning.
//
//   for block in 0..64
//     C[ramp(block*8, 1, 8)] = mine.madd(C.start[ramp(block*8, 1, 8)], A[ramp(block*16, 1, 16)], B[ramp(block*16, 1, 16)])

import { parameterBuffer } from "../ir/buffer.ts";
import { constInt, forLoop, loadOf, mul, ramp, store, variable } from "../ir/build.ts";
import type { Intrinsic } from "../ir/intrinsic.ts";
import type { Expr, LoopFunc } from "../ir/loop-ir.ts";
import { invariant } from "../support/invariant.ts";

/** @param calls number of calls; each has elements of its own in all buffers */
export function callsOf({ name, meaning, text }: Intrinsic, calls: number): LoopFunc {
  const [result, ...operands] = meaning.buffers.map((buffer) => ({
    ...buffer,
    shape: [calls * buffer.shape[0]!],
    lanes: buffer.shape[0]!,
  }));
  invariant(result, `${name} has no result`);
  const start = { ...result, name: `${result.name}.start` };
  const place = (lanes: number): Expr => {
    const first = mul(variable("block"), constInt(lanes));
    return lanes === 1 ? first : ramp(first, 1, lanes);
  };
  const loaded = [start, ...operands].map((buffer) => loadOf(buffer, [place(buffer.lanes)]));
  const { dtype, lanes } = result;
  const call: Expr = { kind: "intrinsic", dtype, lanes, name, operands: loaded, meaning, text };
  return {
    name: `calls_of_${meaning.name}`,
    buffers: [
      ...[start, ...operands].map((buffer) => parameterBuffer(buffer, "input")),
      parameterBuffer(result, "output"),
    ],
    body: forLoop("block", calls, store({ name: result.name }, [place(lanes)], call)),
  };
}
