// All primitives, by the kind of their instruction.

import type { InstructionKind } from "../trace.ts";
import { annotate } from "./annotate.ts";
import { bind } from "./bind.ts";
import { cacheRead } from "./cache-read.ts";
import { cacheWrite } from "./cache-write.ts";
import { computeAt } from "./compute-at.ts";
import { decomposeReduction } from "./decompose-reduction.ts";
import { doubleBuffer } from "./double-buffer.ts";
import { fuse } from "./fuse.ts";
import { hoistStorage } from "./hoist-storage.ts";
import { inline } from "./inline.ts";
import { loopPartition } from "./loop-partition.ts";
import { mergeLoops } from "./merge-loops.ts";
import { pad } from "./pad.ts";
import { parallel } from "./parallel.ts";
import { prefetch } from "./prefetch.ts";
import type { Primitive } from "./primitive.ts";
import { reorder } from "./reorder.ts";
import { reverseComputeAt } from "./reverse-compute-at.ts";
import { reverseInline } from "./reverse-inline.ts";
import { rfactor } from "./rfactor.ts";
import { setDtype } from "./set-dtype.ts";
import { setScope } from "./set-scope.ts";
import { shareElement } from "./share-element.ts";
import { split } from "./split.ts";
import { storageAlign } from "./storage-align.ts";
import { tensorize } from "./tensorize.ts";
import { transformLayout } from "./transform-layout.ts";
import { unroll } from "./unroll.ts";
import { vectorize } from "./vectorize.ts";

export const primitives = {
  split,
  fuse,
  reorder,
  "loop-partition": loopPartition,
  "merge-loops": mergeLoops,
  unroll,
  vectorize,
  bind,
  annotate,
  prefetch,
  parallel,
  "compute-at": computeAt,
  "reverse-compute-at": reverseComputeAt,
  inline,
  "reverse-inline": reverseInline,
  "cache-read": cacheRead,
  "cache-write": cacheWrite,
  "decompose-reduction": decomposeReduction,
  rfactor,
  "share-element": shareElement,
  tensorize,
  "set-dtype": setDtype,
  "hoist-storage": hoistStorage,
  "transform-layout": transformLayout,
  pad,
  "storage-align": storageAlign,
  "double-buffer": doubleBuffer,
  "set-scope": setScope,
} satisfies { readonly [K in InstructionKind]: Primitive<K> };

/** Fields of each kind of instruction, in the order of a call's arguments. */
export type FieldsOf<K extends InstructionKind> = (typeof primitives)[K]["fields"];

// The table's type ties each kind to its own arguments; looking up by a union of kinds loses that tie.
export const primitiveOf = (kind: InstructionKind): Primitive<InstructionKind> =>
  primitives[kind] as unknown as Primitive<InstructionKind>;
