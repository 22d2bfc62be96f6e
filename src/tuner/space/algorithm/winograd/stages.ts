// A convolution → the stages of Winograd's algorithm, the last in the place of the sum.
//
//   out.filter[a, b, c, f]            = G g Gᵀ                              every filter
//   out.padded[…, y, x, c]            = the image, 0 outside                where tiles reach outside
//   out.tiles[a, b, …, ty, tx, c]     = Bᵀ d B                              tiles of m + 2, which overlap
//   out.products[a, b, …, ty, tx, f]  = Σ over c: out.tiles · out.filter    a and b: a batch of matrix products
//   out[…, y, x, f]                   = Aᵀ m A of tile [y / m, x / m], at [y mod m, x mod m]

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
import { affineOf, byParity, byPoint, sandwich } from "./transform.ts";

export interface WinogradStages {
  readonly transforms: readonly Stage[];
  /** Element of the result at these axes of the sum's stage. */
  readonly result: Stage;
}

export function winogradStages(conv: Convolution, matrices: WinogradMatrices): WinogradStages {
  const { stage } = conv;
  const names = new Names(conv);
  const points: readonly Axis[] = [names.a, names.b].map((name) => ({ name, extent: matrices.results + 2 }));
  const tiles: readonly Axis[] = [
    ...conv.batch,
    { name: names.ty, extent: tileCount(conv.y.extent, matrices) },
    { name: names.tx, extent: tileCount(conv.x.extent, matrices) },
  ];
  const map = (name: string, axes: readonly Axis[], body: ScalarExpr): Stage => {
    return { name, axes, dtype: "f32", reduce: null, body, loc: stage.loc };
  };
  const product = binaryOf(
    "mul",
    readAt(names.tiles, [...points, ...tiles, conv.c]),
    readAt(names.filter, [...points, conv.c, conv.f]),
  );
  return {
    transforms: [
      map(names.filter, [...points, conv.c, conv.f], filterPoint(conv, matrices, names)),
      ...(reachesOutside(conv, matrices) ? [paddedImage(conv, matrices, names)] : []),
      map(names.tiles, [...points, ...tiles, conv.c], imagePoint(conv, matrices, names)),
      {
        ...map(names.products, [...points, ...tiles, conv.f], product),
        reduce: { reducer: "sum", axes: [conv.c] },
      },
    ],
    result: map(stage.name, stage.axes, resultOf(conv, matrices, names)),
  };
}

/** Names of stages, and of axes that the convolution does not have. */
class Names {
  readonly filter: string;
  readonly padded: string;
  readonly tiles: string;
  readonly products: string;
  readonly a: string;
  readonly b: string;
  readonly ty: string;
  readonly tx: string;

  constructor({ stage, batch, c, f }: Convolution) {
    this.filter = `${stage.name}.filter`;
    this.padded = `${stage.name}.padded`;
    this.tiles = `${stage.name}.tiles`;
    this.products = `${stage.name}.products`;
    const taken = new Set([...batch, c, f].map(({ name }) => name));
    const free = (name: string): string => (taken.has(name) ? free(`${name}_`) : name);
    [this.a, this.b, this.ty, this.tx] = [free("a"), free("b"), free("ty"), free("tx")];
  }
}

const readAt = (tensor: string, axes: readonly Axis[]): ScalarExpr =>
  f32At(
    tensor,
    axes.map(({ name }) => axisOf(name)),
  );

const filterPoint = (conv: Convolution, { filter }: WinogradMatrices, { a, b }: Names): ScalarExpr =>
  sandwich(filter, byParity(3), axisOf(a), axisOf(b), (i, j) =>
    f32At(conv.filter, [integerOf(i), integerOf(j), axisOf(conv.c.name), axisOf(conv.f.name)]),
  );

function imagePoint(conv: Convolution, matrices: WinogradMatrices, { padded, a, b, ty, tx }: Names): ScalarExpr {
  const batch = conv.batch.map(({ name }) => axisOf(name));
  const isPadded = reachesOutside(conv, matrices);
  const image = isPadded ? padded : conv.image;
  const [top, left] = isPadded ? [0, 0] : [-conv.paddingY, -conv.paddingX];
  return sandwich(matrices.image, byParity(matrices.results + 2), axisOf(a), axisOf(b), (i, j) =>
    f32At(image, [
      ...batch,
      affineOf(ty, matrices.results, i + top),
      affineOf(tx, matrices.results, j + left),
      axisOf(conv.c.name),
    ]),
  );
}

/** Rows (columns) of the image that all tiles together take. */
const reachOf = (axis: Axis, matrices: WinogradMatrices): number =>
  tileCount(axis.extent, matrices) * matrices.results + windowSize - 1;

const reachesOutside = (conv: Convolution, matrices: WinogradMatrices): boolean =>
  conv.paddingY > 0 ||
  conv.paddingX > 0 ||
  reachOf(conv.y, matrices) - conv.paddingY > conv.height ||
  reachOf(conv.x, matrices) - conv.paddingX > conv.width;

function paddedImage(conv: Convolution, matrices: WinogradMatrices, { padded }: Names): Stage {
  const y: Axis = { ...conv.y, extent: reachOf(conv.y, matrices) };
  const x: Axis = { ...conv.x, extent: reachOf(conv.x, matrices) };
  const axes = [...conv.batch, y, x, conv.c];
  const row = affineOf(y.name, 1, -conv.paddingY);
  const column = affineOf(x.name, 1, -conv.paddingX);
  const within = (index: ScalarExpr, extent: number): ScalarExpr =>
    binaryOf("and", binaryOf("ge", index, integerOf(0)), binaryOf("lt", index, integerOf(extent)));
  const pixel = f32At(conv.image, [...conv.batch.map(({ name }) => axisOf(name)), row, column, axisOf(conv.c.name)]);
  const body = selectOf(binaryOf("and", within(row, conv.height), within(column, conv.width)), pixel, f32Of(0));
  return { name: padded, axes, dtype: "f32", reduce: null, body, loc: conv.stage.loc };
}

function resultOf(conv: Convolution, { outputs, results }: WinogradMatrices, { products }: Names): ScalarExpr {
  const part = (op: "floorDiv" | "mod", axis: Axis): ScalarExpr => binaryOf(op, axisOf(axis.name), integerOf(results));
  const place = [...conv.batch.map(({ name }) => axisOf(name)), part("floorDiv", conv.y), part("floorDiv", conv.x)];
  return sandwich(outputs, byPoint(results + 2), part("mod", conv.y), part("mod", conv.x), (a, b) =>
    f32At(products, [integerOf(a), integerOf(b), ...place, axisOf(conv.f.name)]),
  );
}
