// Give a local buffer elements of a wider type: what is written is converted, what is read is known to fit.
//
//   set-dtype A.pack i16
//     A.pack[k, i] = A[i, k]                    →    A.pack[k, i] = i16(A[i, k])
//     C[i] += i32(A.pack[k, i]) * …                  C[i] += i32(A.pack[k, i]) * …

import { type DType, dtypes } from "../../expr/dtype.ts";
import { isParameter } from "../../ir/buffer.ts";
import { cast } from "../../ir/build.ts";
import type { Block, Expr } from "../../ir/loop-ir.ts";
import { updateBlock, updateLoad } from "../../ir/update.ts";
import { mapExpr } from "../../ir/visit.ts";
import { holds } from "../../ir/widening.ts";
import { bufferNamed, mapBlocks } from "../nest.ts";
import { bufferField, field, oneOf } from "./field.ts";
import { illegal, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

export const setDtype = definePrimitive({
  kind: "set-dtype",
  fields: [bufferField, field("dtype", oneOf(...dtypes))],
  role: "step",

  check(nest, { buffer: name, dtype }) {
    const buffer = bufferNamed(nest, name);
    const no = (code: ReasonOf<"set-dtype">, text: string) => illegal(`set-dtype.${code}`, nest, [], text);
    if (!buffer) return no("no-such-buffer", `there is no buffer ${name}`);
    if (isParameter(buffer)) return no("parameter", `${name} is a parameter`);
    if (!holds(dtype, buffer.dtype)) return no("narrower", `${dtype} does not hold all values of ${buffer.dtype}`);
    return null;
  },

  apply(nest, { buffer: name, dtype }) {
    const narrow = bufferNamed(nest, name)!.dtype;
    return {
      ...nest,
      buffers: nest.buffers.map((buffer) => (buffer.name === name ? { ...buffer, dtype } : buffer)),
      body: mapBlocks(nest.body, (block) => widened(block, { name, narrow, dtype })),
    };
  },

  print: ({ buffer, dtype }) => `set-dtype ${buffer} ${dtype}`,
});

interface Widening {
  readonly name: string;
  readonly narrow: DType;
  readonly dtype: DType;
}

function widened(block: Block, widening: Widening): Block {
  const value = readWide(block.value, widening);
  if (block.buffer !== widening.name)
    return updateBlock(block, { value, init: block.init && readWide(block.init, widening) });
  return updateBlock(block, {
    value: cast(widening.dtype, value),
    init: block.init && cast(widening.dtype, block.init),
  });
}

/** Turns reads to the wide element. A conversion of it takes it as it is; elsewhere it becomes narrow again. */
function readWide(expr: Expr, { name, narrow, dtype }: Widening): Expr {
  return mapExpr(expr, (node) => {
    if (node.kind === "load" && node.buffer === name) return cast(narrow, updateLoad(node, { dtype }));
    const isTwice = node.kind === "cast" && node.operand.kind === "cast" && node.operand.dtype === narrow;
    const wide = isTwice ? node.operand.operand : null;
    return wide?.kind === "load" && wide.buffer === name ? cast(node.dtype, wide) : node;
  });
}
