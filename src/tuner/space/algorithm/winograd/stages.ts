// A convolution → the stages of Winograd's algorithm, the last in the place of the sum.
//
//   out.filter.rows[a, j, c, f]       = G g                                 every filter
//   out.filter[a, b, c, f]            = G g Gᵀ
//   out.padded[…, y, x, c]            = the image, 0 outside                where tiles reach outside
//   out.tiles.rows[a, …, ty, x, c]    = Bᵀ d                                rows of m + 2, which overlap
//   out.tiles[a, b, …, ty, tx, c]     = Bᵀ d B                              tiles of m + 2, which overlap
//   out.products[a, b, …, ty, tx, f]  = Σ over c: out.tiles · out.filter    a and b: a batch of matrix products
//   out.rows[b, …, y, tx, f]          = Aᵀ m of tile [y / m, tx], at y mod m
//   out[…, y, x, f]                   = Aᵀ m A of tile [y / m, x / m], at [y mod m, x mod m]
//
// Each transform is two stages, one an axis: rows first.

import {
  type Axis,
  axisOf,
  binaryOf,
  f32At,
  f32Of,
  integerOf,
  type ScalarExpr,
  type Stage,
  selectOf,
} from "../../../../compiler/index.ts";
import { type Convolution, windowSize } from "./convolution.ts";
import type { WinogradMatrices } from "./matrices.ts";
import { tileCount } from "./operations.ts";
import { affineOf, byParity, byPoint, transformed } from "./transform.ts";

export interface WinogradStages {
  readonly transforms: readonly Stage[];
  /** Element of the result at these axes of the sum's stage. */
  readonly result: Stage;
}

export function winogradStages(conv: Convolution, matrices: WinogradMatrices): WinogradStages {
  const { stage, f, c } = conv;
  const names = new StageNames(conv);
  const axes = axesOf(conv, matrices, names);
  const { a, b, j, ty, tx } = axes;
  const tiles = [...conv.batch, ty, tx];
  const map = (name: string, axes: readonly Axis[], body: ScalarExpr): Stage => {
    return { name, axes, dtype: "f32", reduce: null, body, loc: stage.loc };
  };
  const product = binaryOf("mul", readAt(names.tiles, [a, b, ...tiles, c]), readAt(names.filter, [a, b, c, f]));
  return {
    transforms: [
      map(names.filterRows, [a, j, c, f], filterRow(conv, matrices, axes)),
      map(names.filter, [a, b, c, f], filterPoint(conv, matrices, axes, names)),
      ...(reachesOutside(conv, matrices) ? [paddedImage(conv, matrices, names)] : []),
      map(names.tileRows, [a, ...conv.batch, ty, columnsOf(conv, matrices), c], imageRow(conv, matrices, axes, names)),
      map(names.tiles, [a, b, ...tiles, c], imagePoint(conv, matrices, axes, names)),
      { ...map(names.products, [a, b, ...tiles, f], product), reduce: { reducer: "sum", axes: [c] } },
      map(names.rows, [b, ...conv.batch, conv.y, tx, f], resultRow(conv, matrices, axes, names)),
    ],
    result: map(stage.name, stage.axes, resultOf(conv, matrices, names)),
  };
}

/** Names of stages, and of axes that the convolution does not have. */
class StageNames {
  readonly filterRows: string;
  readonly filter: string;
  readonly padded: string;
  readonly tileRows: string;
  readonly tiles: string;
  readonly products: string;
  readonly rows: string;
  readonly axes: readonly string[];

  constructor({ stage, batch, y, x, c, f }: Convolution) {
    this.filterRows = `${stage.name}.filter.rows`;
    this.filter = `${stage.name}.filter`;
    this.padded = `${stage.name}.padded`;
    this.tileRows = `${stage.name}.tiles.rows`;
    this.tiles = `${stage.name}.tiles`;
    this.products = `${stage.name}.products`;
    this.rows = `${stage.name}.rows`;
    const taken = new Set([...batch, y, x, c, f].map(({ name }) => name));
    const free = (name: string): string => (taken.has(name) ? free(`${name}_`) : name);
    this.axes = ["a", "b", "j", "ty", "tx"].map(free);
  }
}

/** Axes that the convolution does not have. */
interface Axes {
  /** Points of rows. */
  readonly a: Axis;
  /** Points of columns. */
  readonly b: Axis;
  /** Columns of a filter. */
  readonly j: Axis;
  /** Tiles. */
  readonly ty: Axis;
  readonly tx: Axis;
}

function axesOf({ y, x }: Convolution, matrices: WinogradMatrices, { axes }: StageNames): Axes {
  const points = matrices.results + windowSize - 1;
  const extents = [points, points, windowSize, tileCount(y.extent, matrices), tileCount(x.extent, matrices)];
  const [a, b, j, ty, tx] = axes.map((name, at): Axis => ({ name, extent: extents[at]! }));
  return { a: a!, b: b!, j: j!, ty: ty!, tx: tx! };
}

const readAt = (tensor: string, axes: readonly Axis[]): ScalarExpr =>
  f32At(
    tensor,
    axes.map(({ name }) => axisOf(name)),
  );

const along = ({ name }: Axis): ScalarExpr => axisOf(name);

const filterRow = (conv: Convolution, { filter }: WinogradMatrices, { a, j }: Axes): ScalarExpr =>
  transformed(filter, byParity(windowSize), along(a), (i) =>
    f32At(conv.filter, [integerOf(i), along(j), along(conv.c), along(conv.f)]),
  );

const filterPoint = (conv: Convolution, { filter }: WinogradMatrices, { a, b }: Axes, names: StageNames): ScalarExpr =>
  transformed(filter, byParity(windowSize), along(b), (j) =>
    f32At(names.filterRows, [along(a), integerOf(j), along(conv.c), along(conv.f)]),
  );

function imageRow(conv: Convolution, matrices: WinogradMatrices, { a, ty }: Axes, { padded }: StageNames): ScalarExpr {
  const isPadded = reachesOutside(conv, matrices);
  const [top, left] = isPadded ? [0, 0] : [-conv.paddingY, -conv.paddingX];
  return transformed(matrices.image, byParity(matrices.results + 2), along(a), (i) =>
    f32At(isPadded ? padded : conv.image, [
      ...conv.batch.map(along),
      affineOf(ty.name, matrices.results, i + top),
      affineOf(conv.x.name, 1, left),
      along(conv.c),
    ]),
  );
}

const imagePoint = (
  conv: Convolution,
  matrices: WinogradMatrices,
  { a, b, ty, tx }: Axes,
  names: StageNames,
): ScalarExpr =>
  transformed(matrices.image, byParity(matrices.results + 2), along(b), (j) =>
    f32At(names.tileRows, [
      along(a),
      ...conv.batch.map(along),
      along(ty),
      affineOf(tx.name, matrices.results, j),
      along(conv.c),
    ]),
  );

/** Rows (columns) of the image that all tiles together take. */
const reachOf = (axis: Axis, matrices: WinogradMatrices): number =>
  tileCount(axis.extent, matrices) * matrices.results + windowSize - 1;

const reachesOutside = (conv: Convolution, matrices: WinogradMatrices): boolean =>
  conv.paddingY > 0 ||
  conv.paddingX > 0 ||
  reachOf(conv.y, matrices) - conv.paddingY > conv.height ||
  reachOf(conv.x, matrices) - conv.paddingX > conv.width;

/** Columns of the image that rows of tiles are made of. */
const columnsOf = ({ x }: Convolution, matrices: WinogradMatrices): Axis => ({ ...x, extent: reachOf(x, matrices) });

function paddedImage(conv: Convolution, matrices: WinogradMatrices, { padded }: StageNames): Stage {
  const y: Axis = { ...conv.y, extent: reachOf(conv.y, matrices) };
  const x = columnsOf(conv, matrices);
  const axes = [...conv.batch, y, x, conv.c];
  const row = affineOf(y.name, 1, -conv.paddingY);
  const column = affineOf(x.name, 1, -conv.paddingX);
  const within = (index: ScalarExpr, extent: number): ScalarExpr =>
    binaryOf("and", binaryOf("ge", index, integerOf(0)), binaryOf("lt", index, integerOf(extent)));
  const pixel = f32At(conv.image, [...conv.batch.map(({ name }) => axisOf(name)), row, column, axisOf(conv.c.name)]);
  const body = selectOf(binaryOf("and", within(row, conv.height), within(column, conv.width)), pixel, f32Of(0));
  return { name: padded, axes, dtype: "f32", reduce: null, body, loc: conv.stage.loc };
}

function resultRow(
  conv: Convolution,
  { outputs, results }: WinogradMatrices,
  { b, tx }: Axes,
  { products }: StageNames,
): ScalarExpr {
  const [tile, row] = partsOf(conv.y, results);
  return transformed(outputs, byPoint(results + 2), row, (a) =>
    f32At(products, [integerOf(a), along(b), ...conv.batch.map(along), tile, along(tx), along(conv.f)]),
  );
}

function resultOf(conv: Convolution, { outputs, results }: WinogradMatrices, names: StageNames): ScalarExpr {
  const [tile, column] = partsOf(conv.x, results);
  return transformed(outputs, byPoint(results + 2), column, (b) =>
    f32At(names.rows, [integerOf(b), ...conv.batch.map(along), along(conv.y), tile, along(conv.f)]),
  );
}

/** The tile of a row (column) of the result, and the place in it. */
const partsOf = (axis: Axis, results: number): readonly [ScalarExpr, ScalarExpr] => [
  binaryOf("floorDiv", along(axis), integerOf(results)),
  binaryOf("mod", along(axis), integerOf(results)),
];
