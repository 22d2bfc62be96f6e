// Says whether an element-wise stage whose values are chosen by the remainder of an axis can be computed a block of
// rows at a time, together with the reduction that it reads and the maps that the reduction reads. The values passed
// between them then stay in L2.
//
//   tiles, products, out                         for y.0: tiles, products, out of these rows
//   out[y, x] from products[…, y / 2, x / 2]  →    products[…, 1 row, x / 2]

import { byteSize, type Expr, walkExpr } from "../../../compiler/index.ts";
import type { Placement } from "../draft/draft.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";
import type { RuleContext } from "../draft/space-rule.ts";
import { multiLevelTiling } from "../rule/multi-level-tiling.ts";

export interface RowBlock {
  /** Number of the reduction's rows in a block: a divisor of all rows, the largest that half of L2 holds. */
  readonly rows: number;
  /** The reduction and its producers, in the order in which they are placed. */
  readonly placed: readonly Placement[];
}

/**
 * Finds a block of rows. `axis`: its quotient by `modulus` numbers the rows of the reduction; the axes before it lead both.
 */
export function rowBlockOf(
  stage: SchedulableStage,
  axis: string,
  modulus: number,
  context: RuleContext,
): RowBlock | null {
  const sums = context.stages.find((it) => isOwnReduction(it, stage, context));
  const found = sums && shrinkingAxes(stage, sums, axis, modulus);
  if (!found) return null;
  const { leading, row } = found;
  const producers = context.stages.filter(
    (it) => isOwnMap(it, sums) && it.spatial.some(({ name }) => name === row.name),
  );
  const extentsOf = (rows: number): ReadonlyMap<string, number> =>
    new Map([...leading.map((name): [string, number] => [name, 1]), [row.name, rows]]);
  const bytesOf = (rows: number): number =>
    [sums, ...producers].reduce((bytes, it) => bytes + byteSize[it.dtype] * elementsIn(it, extentsOf(rows)), 0);
  const divisors = Array.from({ length: row.extent }, (_, at) => at + 1).filter((rows) => row.extent % rows === 0);
  const rows = divisors.findLast((count) => bytesOf(count) <= context.task.target.l2Bytes / 2) ?? 1;
  const extents = extentsOf(rows);
  const times = elementsIn(sums, new Map()) / elementsIn(sums, extents);
  if (times === 1) return null;
  return { rows, placed: [sums, ...producers].map(({ name }) => ({ stage: name, extents, times })) };
}

const isReadBy = (stage: SchedulableStage, reader: SchedulableStage): boolean =>
  stage.readers.length === 1 && stage.readers[0] === reader.name && !stage.isOutput;

const isOwnReduction = (it: SchedulableStage, reader: SchedulableStage, context: RuleContext): boolean =>
  isReadBy(it, reader) && it.reduce.length > 0 && multiLevelTiling.applies(it, context);

/** Says whether each axis of a map is one of the reader's, by the same name. */
const isOwnMap = (it: SchedulableStage, reader: SchedulableStage): boolean =>
  isReadBy(it, reader) &&
  it.reduce.length === 0 &&
  reader.reads
    .filter(({ buffer }) => buffer === it.name)
    .every(({ dims }) => dims.every((dim, at) => dim?.size === 1 && dim.get(it.spatial[at]!.name) === 1));

interface ShrinkingAxes {
  /** Axes of the reduction of which a block has one element. */
  readonly leading: readonly string[];
  readonly row: { readonly name: string; readonly extent: number };
}

/**
 * Returns the axes that shrink in a block. Null: the stage reads the reduction otherwise than by quotient and leading axes.
 */
function shrinkingAxes(
  stage: SchedulableStage,
  sums: SchedulableStage,
  axis: string,
  modulus: number,
): ShrinkingAxes | null {
  const before = stage.spatial.slice(
    0,
    stage.spatial.findIndex(({ name }) => name === axis),
  );
  const reads: (readonly Expr[])[] = [];
  walkExpr(stage.block.value, (node) => {
    if (node.kind === "load" && node.buffer === sums.name) reads.push(node.indices);
  });
  const dimsWhere = (matches: (index: Expr) => boolean): readonly number[] =>
    [...sums.spatial.keys()].filter((dim) => reads.every((indices) => matches(indices[dim]!)));
  const isLeading = (index: Expr): boolean => index.kind === "var" && before.some(({ name }) => name === index.name);
  const leading = dimsWhere(isLeading);
  const [row, ...others] = dimsWhere((index) => isQuotient(index, axis, modulus));
  if (row === undefined || others.length > 0 || leading.length !== before.length) return null;
  return { leading: leading.map((dim) => sums.spatial[dim]!.name), row: sums.spatial[row]! };
}

const isQuotient = (index: Expr, axis: string, modulus: number): boolean =>
  index.kind === "binary" &&
  index.op === "floorDiv" &&
  index.left.kind === "var" &&
  index.left.name === axis &&
  index.right.kind === "const" &&
  index.right.value === modulus;

const elementsIn = ({ spatial }: SchedulableStage, extents: ReadonlyMap<string, number>): number =>
  spatial.reduce((elements, { name, extent }) => elements * (extents.get(name) ?? extent), 1);
