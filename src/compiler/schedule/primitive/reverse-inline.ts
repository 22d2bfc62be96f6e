// Put the expression of an element-wise consumer into the store of its producer, and drop the consumer. The producer
// keeps its loops and its name, also where they have been scheduled.
//
//   block P: P[i] = 2 * X[i]
//   block Q: Q[i] = P[i] + 1      →    block P: Q[i] = 2 * X[i] + 1
//
// A reduction stores parts of its sums and is no such producer. The block that writes its accumulators back is: after
// `cache-write`, bias and activation are applied to the registers.

import type { Block, Expr, LoopFunc } from "../../ir/loop-ir.ts";
import { printExpr } from "../../ir/print-expr.ts";
import { updateBlock } from "../../ir/update.ts";
import { mapExpr, varsIn } from "../../ir/visit.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { buffersRead, lateOperand, loadsOf, readersOf, writersOf } from "../dataflow.ts";
import { blocksIn, bufferNamed, findBlock, mapBlocks } from "../nest.ts";
import { dropNest, isNaive } from "./compute-at.ts";
import { blockField } from "./field.ts";
import { illegal, noSuchBlock, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

export const reverseInline = definePrimitive({
  kind: "reverse-inline",
  fields: [blockField],
  role: "step",

  check(nest, { block: name }) {
    const place = findBlock(nest, name);
    if (!place) return noSuchBlock("reverse-inline.no-such-block", nest, name);
    const { block } = place;
    const no: Refuse = (code, text, hint = null, marked = [name]) =>
      illegal(`reverse-inline.${code}`, nest, marked, text, hint);
    if (block.axes.some((axis) => axis.role === "reduce")) return no("reduction", `${name} is a reduction`);
    const axes = new Set(block.axes.map((axis) => axis.name));
    if (!isNaive(nest, place) || [...varsIn(block.value)].some((variable) => !axes.has(variable))) {
      return no("scheduled", `${name} has been scheduled already`, "inline first, schedule the producer then");
    }
    const producer = producerOf(nest, block);
    if (!producer) return no("no-producer", `${name} reads nothing that the kernel computes`);
    return checkProducer(nest, block, producer, no) ?? checkReads(nest, block, producer, no);
  },

  apply(nest, { block: name }) {
    const { block, around } = findBlock(nest, name)!;
    const producer = producerOf(nest, block)!;
    const body = mapBlocks(dropNest(nest.body, around[0]!.name), (it) =>
      it.name === producer.name ? joined(producer, block) : it,
    );
    return { ...nest, buffers: nest.buffers.filter((buffer) => buffer.name !== producer.buffer), body };
  },

  print: ({ block }) => `reverse-inline ${block}`,
});

type Refuse = (
  code: ReasonOf<"reverse-inline">,
  text: string,
  hint?: string | null,
  marked?: readonly string[],
) => Diagnostic;

/** The last block that writes something that the consumer reads: everything else is there by then. */
function producerOf(nest: LoopFunc, consumer: Block): Block | undefined {
  const read = buffersRead(consumer);
  return blocksIn(nest.body).findLast((block) => block !== consumer && read.has(block.buffer));
}

function checkProducer(nest: LoopFunc, consumer: Block, producer: Block, no: Refuse): Diagnostic | null {
  const { name, buffer } = producer;
  if (bufferNamed(nest, buffer)!.role === "output") return no("output", `${buffer} is a result of the kernel`);
  const readers = readersOf(nest, buffer).filter((reader) => reader !== consumer);
  if (producer.init || readers.includes(producer) || writersOf(nest, buffer).length > 1) {
    const hint = `cache-write ${name} at a loop around its reduce loops: the block that writes back takes ${consumer.name}`;
    return no("sum", `${name} stores parts of the sums in ${buffer}`, hint, [consumer.name, name]);
  }
  const other = readers[0];
  return other ? no("other-consumer", `${other.name} reads ${buffer} too`, null, [consumer.name, other.name]) : null;
}

function checkReads(nest: LoopFunc, consumer: Block, producer: Block, no: Refuse): Diagnostic | null {
  const { shape } = bufferNamed(nest, producer.buffer)!;
  const read = loadsOf(consumer, producer.buffer).find((indices) => !isOwnElement(indices, consumer, shape));
  if (read) {
    const element = `${producer.buffer}[${read.map(printExpr).join(", ")}]`;
    return no("not-element-wise", `${consumer.name} reads ${element}, not the element at its own place`);
  }
  const { around } = findBlock(nest, producer.name)!;
  const late = lateOperand(nest, consumer, around[0] ?? producer, [producer.buffer]);
  if (!late) return null;
  return no("not-ready", `${consumer.name} reads ${late.buffer}, which is not complete before ${producer.name}`, null, [
    consumer.name,
    late.writer,
  ]);
}

/** Says whether the indices are those of the block's own element, as P[i, j] is for Q[i, j], and as many. */
const isOwnElement = (indices: readonly Expr[], { axes }: Block, shape: readonly number[]): boolean =>
  indices.length === axes.length &&
  indices.every((index, dim) => index.kind === "var" && index.name === axes[dim]!.name) &&
  axes.every((axis, dim) => axis.extent === shape[dim]);

/** The consumer's element and value where the producer runs. */
function joined(producer: Block, consumer: Block): Block {
  const places = new Map(consumer.axes.map((axis, dim) => [axis.name, producer.indices[dim]!]));
  const value = mapExpr(consumer.value, (node) => {
    if (node.kind === "var") return places.get(node.name) ?? node;
    return node.kind === "load" && node.buffer === producer.buffer ? producer.value : node;
  });
  return updateBlock(producer, { buffer: consumer.buffer, value });
}
