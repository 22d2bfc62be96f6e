// A product whose operands lie otherwise, or whose extents are no whole tiles → stages around a product of matrices of whole tiles.
//
//   out.left[b, m, k]     = the left factor for row m and depth k, 0 behind the depth
//   out.right[b, k, n]    = the right factor; of bytes [b, n, k], as their instruction takes both along the depth
//   out.products[b, m, n] = Σ over k: out.left · out.right
//   out[…]                = out.products at its own row and column
//
// m, n and k count all rows, columns and elements of the depth. Rows and columns that only fill the last tiles repeat earlier ones, and the
// result does not read them. A factor that already is such a matrix is read where it lies.

import {
  type Axis,
  axisOf,
  binaryOf,
  byteSize,
  castOf,
  type DType,
  elementAt,
  integerOf,
  mapScalar,
  type ScalarExpr,
  type Stage,
  selectOf,
  warpDepth,
  warpTile,
} from "../../../../compiler/index.ts";
import { gpuSizes } from "../../../prior/tensor-core-sizes.ts";
import type { MatrixProduct } from "./product.ts";

export interface GatheredStages {
  /** The matrices that have to be gathered, and their product. */
  readonly before: readonly Stage[];
  /** Stage of the sum's name, which takes each result from the product. */
  readonly result: Stage;
}

/** A matrix of a product: the factor, its axes down and along, and what these are padded to. */
interface Matrix {
  readonly name: string;
  readonly factor: ScalarExpr;
  readonly dims: readonly [Flat, Flat];
}

/** Axes that are counted as one. */
interface Flat {
  readonly axis: Axis;
  readonly of: readonly Axis[];
  /** Number of elements without those that fill the last tile. */
  readonly extent: number;
  /** Whether elements behind the last one have to be 0. */
  readonly isSummed: boolean;
}

const sizeOf = (axes: readonly Axis[]): number => axes.reduce((size, { extent }) => size * extent, 1);

/** Returns the extent rounded up to whole tiles, of the size whose padding costs least. */
function padded(extent: number, least: number): number {
  const rounded = (size: number): number => Math.ceil(extent / size) * size;
  const costOf = ({ size, cost }: (typeof gpuSizes.roundings)[number]): number => rounded(size) * cost;
  const fit = gpuSizes.roundings.filter(({ size }) => size >= least);
  return rounded(fit.reduce((best, it) => (costOf(it) < costOf(best) ? it : best)).size);
}

/** Work of whole tiles for each that is asked for. */
export function surplusOf(product: MatrixProduct): number {
  const { m, n, k } = flatAxes(product);
  return [m, n, k].reduce((surplus, { axis, extent }) => surplus * (axis.extent / extent), 1);
}

/** Bytes of the matrices and of their products. */
export function bytesOf(product: MatrixProduct): number {
  const { m, n, k } = flatAxes(product);
  const size = byteSize[product.left.dtype];
  const each = (m.axis.extent + n.axis.extent) * k.axis.extent * size;
  return sizeOf(product.batch) * (each + m.axis.extent * n.axis.extent * byteSize[product.stage.dtype]);
}

function flatAxes({ stage, batch, rows, columns, depth, left }: MatrixProduct) {
  const taken = new Set(batch.map(({ name }) => name));
  const free = (name: string): string => (taken.has(name) ? free(`${name}_`) : name);
  const flat = (name: string, of: readonly Axis[], least: number, isSummed: boolean): Flat => {
    const extent = sizeOf(of);
    return { axis: { name: free(name), extent: padded(extent, least) }, of, extent, isSummed };
  };
  return {
    m: flat("m", rows, warpTile, false),
    n: flat("n", columns, warpTile, false),
    k: flat("k", depth, warpDepth(left.dtype), true),
    names: { left: `${stage.name}.left`, right: `${stage.name}.right`, products: `${stage.name}.products` },
  };
}

/** Returns the stages that take the place of the sum. Null: both factors are matrices of whole tiles already. */
export function gatheredStages(product: MatrixProduct): GatheredStages | null {
  const { stage, batch, left, right } = product;
  const { m, n, k, names } = flatAxes(product);
  const isOfBytes = byteSize[left.dtype] === 1;
  const matrices: readonly [Matrix, Matrix] = [
    { name: names.left, factor: left, dims: [m, k] },
    { name: names.right, factor: right, dims: isOfBytes ? [n, k] : [k, n] },
  ];
  const own = matrices.map((matrix) => matrixInPlace(matrix, batch));
  if (own.every((tensor) => tensor !== null)) return null;
  const element = ({ name, factor, dims }: Matrix, at: number): ScalarExpr => {
    const indices = [...batch, ...dims.map(({ axis }) => axis)].map((axis) => axisOf(axis.name));
    return castOf(stage.dtype, elementAt(factor.dtype, own[at] ?? name, indices));
  };
  const body = binaryOf("mul", element(matrices[0], 0), element(matrices[1], 1));
  const sums: Stage = {
    ...stage,
    name: names.products,
    axes: [...batch, m.axis, n.axis],
    reduce: { reducer: "sum", axes: [k.axis] },
    body,
  };
  const at = [...batch.map(({ name }) => axisOf(name)), countOf(m.of), countOf(n.of)];
  const gathered = matrices.filter((_, which) => own[which] === null);
  return {
    before: [...gathered.map((matrix) => gather(matrix, product)), sums],
    result: { ...stage, reduce: null, body: elementAt(stage.dtype, names.products, at) },
  };
}

/** The tensor whose elements lie as those of the matrix do. Null: there is none. */
function matrixInPlace({ factor, dims }: Matrix, batch: readonly Axis[]): string | null {
  if (factor.kind !== "read" || dims.some(({ axis, extent }) => axis.extent !== extent)) return null;
  const axes = [...batch, ...dims.map(({ of }) => (of.length === 1 ? of[0]! : null))];
  const { indices, tensor } = factor;
  const isInPlace = (axis: Axis | null, at: number): boolean => {
    const index = indices[at];
    return axis !== null && index?.kind === "axis" && index.name === axis.name;
  };
  return indices.length === axes.length && axes.every(isInPlace) ? tensor : null;
}

function gather({ name, factor, dims }: Matrix, { stage, batch }: MatrixProduct): Stage {
  const places = new Map(dims.flatMap((dim) => placesOf(dim)));
  const element = mapScalar(factor, (node) => (node.kind === "axis" ? (places.get(node.name) ?? node) : node));
  const cut = dims.find(({ axis, extent, isSummed }) => isSummed && axis.extent > extent);
  const body = cut
    ? selectOf(binaryOf("lt", axisOf(cut.axis.name), integerOf(cut.extent)), element, zeroOf(factor.dtype))
    : element;
  return { ...stage, name, axes: [...batch, ...dims.map(({ axis }) => axis)], dtype: factor.dtype, reduce: null, body };
}

const zeroOf = (dtype: DType): ScalarExpr => ({ kind: "const", value: 0, dtype, loc: null });

/** Returns the index of each axis at an element of the flat axis; padding repeats the first elements. */
function placesOf({ axis, of, extent }: Flat): readonly (readonly [string, ScalarExpr])[] {
  let inside = 1;
  return of.toReversed().map((each) => {
    const whole = inside === 1 ? axisOf(axis.name) : binaryOf("floorDiv", axisOf(axis.name), integerOf(inside));
    inside *= each.extent;
    const isLast = inside === extent && axis.extent === extent;
    const place = each.extent === 1 ? integerOf(0) : isLast ? whole : binaryOf("mod", whole, integerOf(each.extent));
    return [each.name, place];
  });
}

/** Returns the index of an element along the flat axis. */
function countOf(axes: readonly Axis[]): ScalarExpr {
  return axes.reduce<ScalarExpr>((count, { name, extent }, at) => {
    if (at === 0) return axisOf(name);
    return binaryOf("add", binaryOf("mul", count, integerOf(extent)), axisOf(name));
  }, integerOf(0));
}
