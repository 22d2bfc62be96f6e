// Operands of a sum in the memory of a group: which are copied, what they take, and the loops that copy them.
//
//   A.pack[rows, step]: all dimensions fused → parts of one loop: .0 written out, then the threads of the group; vectors where rows
//   of the operand are whole vectors. Rows along the depth are padded, so that they begin in different banks.

import { byteSize, type CopiedReads, wordElements } from "../../../compiler/index.ts";
import { isRange } from "../../constraint/normal-form.ts";
import { threadSizes } from "../../prior/thread-sizes.ts";
import {
  atMost,
  constrain,
  type Draft,
  derived,
  is,
  product,
  sortedUnique,
  sum,
  tunable,
  valuesOf,
} from "../draft/draft.ts";
import { fusedLoop, fuseLoops } from "../draft/fused-loops.ts";
import { type Access, dependsOn, type SchedulableStage } from "../draft/schedulable-stage.ts";
import { atOnceIn } from "./byte-words.ts";
import { allThreadsOf, bytesInGroup } from "./limits.ts";
import type { TiledSum } from "./sum-axes.ts";
import { named, stepElementsOf, stepOf, threadsOf, tileOf } from "./tile-choices.ts";
import type { Instructions } from "./tile-loops.ts";

const { rowPadding, lanes, mostCopies, groupAlignment } = threadSizes;

export interface CopiedOperand {
  readonly access: Access;
  /** Name of the copy. */
  readonly copy: string;
  /** The reads that are copied; null: all of the buffer. */
  readonly reads: CopiedReads | null;
  /** Whether the last dimension is walked along the depth alone, and its rows padded. */
  readonly isPadded: boolean;
  /** Elements that a thread may copy at once. */
  readonly vectors: readonly number[];
}

/** Returns the operands of which several threads of a group read the same elements. */
export function copiedOperands(
  tiles: TiledSum,
  extents: ReadonlyMap<string, readonly number[]>,
): readonly CopiedOperand[] {
  const { stage, tiled } = tiles;
  const isShared = (access: Access): boolean =>
    tiled.some(({ name, extent }) => extent > 1 && !dependsOn(access, name));
  return stage.reads
    .filter((access) => access.dims.length > 0 && !access.dims.includes(null) && isShared(access))
    .map((access) => operandOf(access, tiles, extents));
}

function operandOf(access: Access, tiles: TiledSum, extents: ReadonlyMap<string, readonly number[]>): CopiedOperand {
  const reads = copiedReads(tiles.stage, access);
  const [last, ...others] = access.dims.at(-1)!;
  const isPlain = last !== undefined && others.length === 0 && last[1] === 1 && access.spans.at(-1) === 0;
  const isPadded = access.dims.length > 1 && isPlain && last[0] === tiles.depth.name;
  const row = extents.get(access.buffer)?.at(-1) ?? 1;
  const isCut = isPlain && [...tiles.tiled, tiles.depth].some(({ name }) => name === last[0]);
  const vectors = tiles.dot ? [wordElements] : isCut ? lanes.filter((count) => row % count === 0) : [1];
  return { access, copy: reads?.copy ?? `${access.buffer}.pack`, reads, isPadded, vectors };
}

/** A buffer that others read too has a copy of its own for this sum. */
const copiedReads = ({ name, block }: SchedulableStage, { id, pattern, isSole }: Access): CopiedReads | null =>
  isSole ? null : { block: block.name, pattern, copy: `${id}.pack.${name}` };

/** Elements of it that are copied, and lie, together. */
export const vectorOf = ({ copy }: CopiedOperand): string => `${copy}.vector`;
export const elementsOf = ({ copy }: CopiedOperand): string => `${copy}.elements`;

export const groupBytesOf = ({ stage }: Pick<TiledSum, "stage">): string => `${stage.name}.group-bytes`;

/** Adds the memory of the copies, which is limited, and how they are made. */
export function addCopies(draft: Draft, tiles: TiledSum, operands: readonly CopiedOperand[], most: number): Draft {
  const counted = operands.reduce((result, it) => addCopy(result, it, tiles), draft);
  const bytes = groupBytesOf(tiles);
  const terms = operands.map((it) => ({ coefficient: bytesOfElement(it, tiles), term: storedOf(it) }));
  const all = sum(counted, bytes, terms, 0, "bytes of memory of a group");
  const names = operands.map(({ access }) => access.buffer).join(" and ");
  const free = most - lostBetween(counted, operands, tiles);
  return atMost(all, bytes, free, `a step of ${names} fits the ${most} bytes of a group`);
}

/** Most bytes that lie between copies, as each begins at a multiple of some elements: none where all but one are multiples of it themselves. */
function lostBetween(draft: Draft, operands: readonly CopiedOperand[], tiles: TiledSum): number {
  const alignment = groupAlignment * atOnceIn(tiles.dot);
  const isEven = ({ domain }: Draft["variables"][number]): boolean =>
    !isRange(domain) && domain.every((count) => count % alignment === 0);
  const uneven = operands.filter((it) => !draft.variables.some((each) => each.name === storedOf(it) && isEven(each)));
  return uneven.slice(1).reduce((bytes, it) => bytes + (alignment - 1) * bytesOfElement(it, tiles), 0);
}

/** Bytes of an element of a copy. Copies that dot products read as words are packed; others have a word for each narrow element. */
const bytesOfElement = ({ access }: CopiedOperand, { dot }: TiledSum): number =>
  dot ? byteSize[access.dtype] : bytesInGroup(access.dtype);

/** Elements of a copy with its padding. */
const storedOf = (operand: CopiedOperand): string =>
  operand.isPadded ? `${operand.copy}.stored` : elementsOf(operand);

function addCopy(draft: Draft, operand: CopiedOperand, tiles: TiledSum): Draft {
  const { access, copy, isPadded } = operand;
  const sized = access.dims.reduce<Sized>((known, _, at) => addDim(known, operand, at, tiles), { draft, sizes: [] });
  const why = `elements of ${access.buffer} in a step`;
  const counted = product(sized.draft, elementsOf(operand), sized.sizes, why);
  const stored = isPadded ? addStored(counted, operand, sized.sizes, tiles) : counted;
  const chosen = limitVectors(tunable(stored, vectorOf(operand), operand.vectors), operand, sized.sizes.at(-1)!);
  const pieces = product(
    chosen,
    `${copy}.most`,
    [mostCopies, allThreadsOf(tiles), vectorOf(operand)],
    `elements of ${access.buffer} that the threads of a group copy`,
  );
  return atMost(
    pieces,
    elementsOf(operand),
    `${copy}.most`,
    `a thread copies at most ${mostCopies} pieces of ${access.buffer}`,
  );
}

interface Sized {
  readonly draft: Draft;
  readonly sizes: readonly (string | number)[];
}

/** Adds the extent of a dimension in a step: Σ |coefficient| · (elements of the axis − 1) + 1. */
function addDim({ draft, sizes }: Sized, { access, copy }: CopiedOperand, at: number, tiles: TiledSum): Sized {
  const moving = [...access.dims[at]!].flatMap(([name, coefficient]) => {
    const term = sizeOf(name, tiles);
    return term === null ? [] : [{ coefficient: Math.abs(coefficient), term }];
  });
  const span = access.spans[at]!;
  const [only, ...others] = moving;
  if (!only) return { draft, sizes: [...sizes, span + 1] };
  if (others.length === 0 && only.coefficient === 1 && span === 0) return { draft, sizes: [...sizes, only.term] };
  const offset = moving.reduce((rest, { coefficient }) => rest - coefficient, span + 1);
  const name = `${copy}.${at}.extent`;
  const counted = sum(draft, name, moving, offset, `elements of ${access.buffer} along dimension ${at} in a step`);
  return { draft: counted, sizes: [...sizes, name] };
}

/** The variable of the elements of an axis that a step has; null: it has one. */
function sizeOf(name: string, tiles: TiledSum): string | null {
  const axis = tiles.tiled.find((it) => it.name === name);
  return axis ? tileOf(axis) : name === tiles.depth.name ? stepElementsOf(tiles) : null;
}

/** Rows of the depth are stored some elements apart that are an odd multiple of the padding. */
function addStored(
  draft: Draft,
  operand: CopiedOperand,
  sizes: readonly (string | number)[],
  { depth, dot }: TiledSum,
): Draft {
  const row = `${operand.copy}.row`;
  const steps = valuesOf(draft, stepOf(depth));
  const stored = (step: number): number => paddedRow(step * atOnceIn(dot));
  const known = derived(draft, row, sortedUnique(steps.map(stored)));
  const mapped = steps.reduce(
    (result, step) =>
      constrain(result, {
        kind: "conditional",
        when: [is(stepOf(depth), step)],
        then: { kind: "one-of", variable: row, values: [stored(step)] },
        why: `rows of ${operand.access.buffer} are padded`,
        role: "definition",
      }),
    known,
  );
  const why = `elements of ${operand.access.buffer} in a step, padded`;
  return product(mapped, storedOf(operand), [...sizes.slice(0, -1), row], why);
}

/** The least length from a length on that is an odd multiple of the padding. */
function paddedRow(length: number): number {
  const multiples = Math.ceil(length / rowPadding);
  return (multiples % 2 === 0 ? multiples + 1 : multiples) * rowPadding;
}

function limitVectors(draft: Draft, operand: CopiedOperand, row: string | number): Draft {
  if (typeof row === "number" || operand.vectors.length === 1) return draft;
  return operand.vectors.reduce((result, vector) => {
    const values = valuesOf(draft, row).filter((size) => size % vector === 0);
    const why = `rows of ${operand.access.buffer} are copied in whole vectors`;
    const then = { kind: "one-of", variable: row, values } as const;
    return constrain(result, { kind: "conditional", when: [is(vectorOf(operand), vector)], then, why, role: "limit" });
  }, draft);
}

/** Instructions for one copy at the loop over steps. */
export function copies(operand: CopiedOperand, tiles: TiledSum, step: string): Instructions {
  const { access, copy, reads, isPadded } = operand;
  const { buffer, dims } = access;
  const last = dims.length - 1;
  const layout = dims.map((_, dim) => ({ dim, part: "whole", tile: 1 }) as const);
  const parts = [...dims.keys()].map((dim) => (dim === last ? `${copy}.${dim}.0` : `${copy}.${dim}`));
  const pieces = fusedLoop(parts);
  const threads = tiles.tiled.map((axis) => named(threadsOf(axis)));
  return [
    { kind: "cache-read", buffer, loop: step, layout, ...(reads && { reads }) },
    { kind: "set-scope", buffer: copy, scope: "group" },
    ...(isPadded
      ? [{ kind: "storage-align", buffer: copy, dim: last - 1, factor: 2 * rowPadding, offset: rowPadding } as const]
      : []),
    { kind: "split", loop: `${copy}.${last}`, factors: [0, named(vectorOf(operand))], tail: "perfect" },
    ...fuseLoops(parts),
    { kind: "split", loop: pieces, factors: [0, ...threads], tail: "guard" },
    ...tiles.tiled.map(
      ({ coordinate }, at) => ({ kind: "bind", loop: `${pieces}.${at + 1}`, axis: coordinate }) as const,
    ),
    { kind: "unroll", loop: `${pieces}.0` },
    { kind: "vectorize", loop: `${copy}.${last}.1` },
  ];
}
