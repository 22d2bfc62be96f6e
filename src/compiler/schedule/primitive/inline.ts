// Put the expression of an element-wise block in place of every read of it, and drop the block.
//
//   block B: B[i] = exp(A[i])
//   block C: C[i] = B[i] + 1        →    block C: C[i] = exp(A[i]) + 1

import { mostDepth } from "../../expr/depth-limit.ts";
import { exprKey } from "../../ir/expr-key.ts";
import type { Block, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { readThrough } from "../../ir/read-through.ts";
import { mapBlockExprs, operandsOf, varsIn } from "../../ir/visit.ts";
import { depthOf, parentsFirst } from "../../support/graph.ts";
import { loadsOf, readsFrom } from "../dataflow.ts";
import { blocksIn, bufferNamed, dropFrom, findBlock, mapBlocks } from "../nest.ts";
import { blockField } from "./field.ts";
import { illegal, noSuchBlock, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

export const inline = definePrimitive({
  kind: "inline",
  fields: [blockField],
  role: "step",

  check(nest, { block: name }) {
    const place = findBlock(nest, name);
    if (!place) return noSuchBlock("inline.no-such-block", nest, name);
    const { block } = place;
    const reason = whyNot(nest, block);
    return reason && illegal(`inline.${reason.code}`, nest, [], reason.text);
  },

  apply(nest, { block: name }) {
    const { block } = findBlock(nest, name)!;
    const nests = mapBlocks(dropNest(nest.body, name), (consumer) =>
      mapBlockExprs(consumer, (expr) => readThrough(expr, block)),
    );
    return { ...nest, buffers: nest.buffers.filter((buffer) => buffer.name !== block.buffer), body: nests };
  },

  print: ({ block }) => `inline ${block}`,
});

function whyNot(nest: LoopFunc, block: Block): { code: ReasonOf<"inline">; text: string } | null {
  const { name } = block;
  if (block.axes.some((axis) => axis.role === "reduce")) return { code: "reduction", text: `${name} is a reduction` };
  if (bufferNamed(nest, block.buffer)?.role === "output") {
    return { code: "output", text: `${name} is a result of the kernel` };
  }
  if (blocksIn(nest.body).filter(({ buffer }) => buffer === block.buffer).length > 1) {
    return { code: "several-writers", text: `${name} is not the only block that writes ${block.buffer}` };
  }
  const axes = new Set(block.axes.map((axis) => axis.name));
  const identity = block.indices.every((index, at) => index.kind === "var" && index.name === block.axes[at]!.name);
  if (!identity || [...varsIn(block.value)].some((variable) => !axes.has(variable))) {
    return { code: "scheduled", text: `${name} has been scheduled already` };
  }
  const [outermost] = findBlock(nest, name)!.around;
  const local = blocksIn(outermost ?? block).find((other) => other !== block && readsFrom(block, other.buffer));
  if (local) return { code: "local-operand", text: `${name} reads ${local.buffer}, which holds a part at a time` };
  const text = tooLarge(nest, block);
  return text === null ? null : { code: "too-large", text };
}

/** Most operations of one element's value, with those that are computed again at every place where it is read. */
const mostOperations = 50_000;

/** Says that a value is too large: an element of a reader may need so many elements of a stencil that no compiler takes it. */
function tooLarge(nest: LoopFunc, { name, buffer, value }: Block): string | null {
  const depth = depthOf(value, operandsOf);
  const operations = parentsFirst(value, operandsOf).length;
  for (const reader of blocksIn(nest.body)) {
    const places = new Set(loadsOf(reader, buffer).map((indices) => indices.map(exprKey).join())).size;
    if (places === 0) continue;
    const deep = depth + depthOf(reader.value, operandsOf);
    if (deep > mostDepth)
      return `${reader.name} would be ${deep} operations deep, at most ${mostDepth} can be compiled`;
    if (places > 1 && places * operations > mostOperations) {
      return `${reader.name} reads ${name} at ${places} places, which is ${places * operations} operations for one element`;
    }
  }
  return null;
}

/** Removes a block with the loops that hold nothing else. */
function dropNest(root: Stmt, name: string): Stmt {
  return dropFrom(root, (stmt) => {
    const blocks = blocksIn(stmt);
    return blocks.length === 1 && blocks[0]!.name === name;
  });
}
