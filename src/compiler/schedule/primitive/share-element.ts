// Compute what a reduction takes in as a stage of its own, for the reduction and for all others that compute the same.
//
//   for i: for k: S[i] += exp(X[i, k])                 for i: for k: S.element[i, k] = exp(X[i, k])
//   for i: for j: Y[i, j] = exp(X[i, j]) / S[i]   →    for i: for k: S[i] += S.element[i, k]
//                                                      for i: for j: Y[i, j] = S.element[i, j] / S[i]
//
// The new stage has naive loops of its own, before the first that reads it, and may be placed and scheduled as any other.
// An expression is the same if it differs in the names of axes only, and those have equal extents.

import { forLoop, loadOf, seq, variable } from "../../ir/build.ts";
import { loopName } from "../../ir/from-compute.ts";
import { rebuild } from "../../ir/graph.ts";
import type { Block, BlockAxis, Buffer, Expr, For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { updateBlock } from "../../ir/update.ts";
import { mapOperands, operandsOf, someExpr, varsIn, walkExpr } from "../../ir/visit.ts";
import { invariant } from "../../support/invariant.ts";
import { blocksIn, findBlock, isNameTaken, mapBlocks, withBuffer, wrapLoops } from "../nest.ts";
import { blockField } from "./field.ts";
import { illegal, noSuchBlock, type ReasonOf } from "./illegal.ts";
import { definePrimitive } from "./primitive.ts";

export const shareElement = definePrimitive({
  kind: "share-element",
  fields: [blockField],
  role: "step",

  check(nest, { block: name }) {
    const place = findBlock(nest, name);
    if (!place) return noSuchBlock("share-element.no-such-block", nest, name);
    const no = (code: ReasonOf<"share-element">, text: string) => illegal(`share-element.${code}`, nest, [], text);
    const { block } = place;
    if (!isUpdate(block)) return no("no-reduction", `${name} is no reduction, it takes nothing in`);
    const element = elementOf(block);
    // Once shared it is in memory, even where it is stored as another type and read through a cast.
    if (!element || isNameTaken(nest, elementName(name))) {
      return no("plain", `${name} takes in what is in memory already`);
    }
    const axes = new Set(block.axes.map((axis) => axis.name));
    if ([...varsIn(element)].some((variable) => !axes.has(variable))) {
      return no("scheduled", `${name} has been scheduled already`);
    }
    const operand = lateOperand(nest, block, element);
    return operand
      ? no("late-operand", `${operand} is not complete before ${name} and what shares its elements`)
      : null;
  },

  apply(nest, { block: name }) {
    const { block } = findBlock(nest, name)!;
    const { loops, element } = stageOf(block);
    const buffer: Buffer = {
      name: element.buffer,
      dtype: storable(element.value)!,
      shape: element.axes.map(({ extent }) => extent),
      role: "local",
      memory: "workspace",
    };
    const members = membersOf(nest);
    const at = firstUser(members, block);
    const readers = members.map((member) => mapBlocks(member, (it) => readShared(it, block, buffer)));
    const body: Stmt = { kind: "seq", body: readers.toSpliced(at, 0, wrapLoops(loops, element)) };
    return withBuffer({ ...nest, body }, buffer);
  },

  print: ({ block }) => `share-element ${block}`,
});

/** Says whether `other` computes the value that the reduction `block` takes in, so that both may read it from one stage. */
export function computesElementOf(block: Block, other: Block): boolean {
  const element = elementOf(block);
  return element !== null && someExpr(other.value, (node) => axesOfSame(element, node, block, other) !== null);
}

const isUpdate = ({ value, buffer }: Block): boolean =>
  value.kind === "binary" && value.left.kind === "load" && value.left.buffer === buffer;

/** The right side of an update. Null: it is in memory already, or of a type that no buffer holds. */
function elementOf(block: Block): Expr | null {
  const { value } = block;
  if (value.kind !== "binary" || !isUpdate(block)) return null;
  return value.right.kind === "load" || !storable(value.right) ? null : value.right;
}

const storable = ({ dtype }: Expr): Buffer["dtype"] | null => (dtype === "i64" ? null : dtype);

const membersOf = ({ body }: LoopFunc): readonly Stmt[] => (body.kind === "seq" ? body.body : [body]);

const firstUser = (members: readonly Stmt[], block: Block): number =>
  members.findIndex((member) => blocksIn(member).some((it) => it.name === block.name || computesElementOf(block, it)));

/** A buffer that the element reads, and that is written where the new stage stands or later. */
function lateOperand(nest: LoopFunc, block: Block, element: Expr): string | null {
  const members = membersOf(nest);
  const later = members.slice(firstUser(members, block)).flatMap(blocksIn);
  const written = new Set(later.map(({ buffer }) => buffer));
  let late: string | null = null;
  walkExpr(element, (node) => {
    if (node.kind === "load" && written.has(node.buffer)) late = node.buffer;
  });
  return late;
}

/** The buffer and the block of what `block` takes in. */
const elementName = (block: string): string => `${block}.element`;

/** The new block, over the axes that the element depends on, and its loops. */
function stageOf(block: Block): { readonly loops: readonly For[]; readonly element: Block } {
  const value = elementOf(block);
  invariant(value, "share-element was checked");
  const name = elementName(block.name);
  const used = varsIn(value);
  const axes = block.axes
    .filter((axis) => used.has(axis.name))
    .map(({ name, extent }): BlockAxis => ({ name, extent, role: "spatial" }));
  const loops = axes.map((axis) => forLoop(loopName(name, axis.name), axis.extent, seq()));
  const bindings = loops.map((loop) => variable(loop.name));
  const indices = axes.map((axis) => variable(axis.name));
  return { loops, element: { kind: "block", name, axes, bindings, buffer: name, indices, init: null, value } };
}

/** A block with reads of the new stage in place of what it computes alike. */
function readShared(reader: Block, block: Block, buffer: Buffer): Block {
  const { element } = stageOf(block);
  const value = rebuild(reader.value, (node, map) => {
    const axes = axesOfSame(element.value, node, block, reader);
    if (!axes) return mapOperands(node, map);
    return loadOf(
      buffer,
      element.axes.map(({ name }) => variable(axes.get(name)!)),
    );
  });
  return updateBlock(reader, { value });
}

// ── sameness ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Maps each axis in `element` to the axis of `reader` that stands for it in `node`. Null: the expressions differ. */
function axesOfSame(element: Expr, node: Expr, block: Block, reader: Block): ReadonlyMap<string, string> | null {
  const axes = new Map<string, string>();
  const extentOf = (it: Block, name: string): number | undefined => it.axes.find((axis) => axis.name === name)?.extent;
  const compared = new Map<Expr, Set<Expr>>();
  const isSame = (a: Expr, b: Expr): boolean => {
    // One difference ends it all, so what was compared is the same.
    const others = compared.get(a) ?? new Set();
    if (others.has(b)) return true;
    compared.set(a, others.add(b));
    return isSameNode(a, b);
  };
  const isSameNode = (a: Expr, b: Expr): boolean => {
    if (a.kind === "var" && b.kind === "var") {
      const known = axes.get(a.name) ?? b.name;
      axes.set(a.name, known);
      return known === b.name && extentOf(block, a.name) === extentOf(reader, b.name);
    }
    const [of, others] = [operandsOf(a), operandsOf(b)];
    return hasSameHead(a, b) && of.length === others.length && of.every((operand, at) => isSame(operand, others[at]!));
  };
  return isSame(element, node) ? axes : null;
}

function hasSameHead(a: Expr, b: Expr): boolean {
  if (a.dtype !== b.dtype) return false;
  if (a.kind === "const" && b.kind === "const") return Object.is(a.value, b.value);
  if (a.kind === "load" && b.kind === "load") return a.buffer === b.buffer && !a.active && !b.active;
  if (a.kind === "unary" && b.kind === "unary") return a.op === b.op;
  if (a.kind === "binary" && b.kind === "binary") return a.op === b.op;
  return (a.kind === "select" || a.kind === "cast" || a.kind === "bitcast") && a.kind === b.kind;
}
