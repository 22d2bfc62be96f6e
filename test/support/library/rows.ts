// Operators on rows (reductions, scans, norms, softmax), pools and maps.

import { authoring, opLibrary } from "../../../src/compiler/index.ts";
import type { Rng } from "../../../src/tuner/support/rng.ts";
import {
  drawExtent,
  floats,
  type LibraryName,
  type LibraryOperator,
  libraryOperator,
  numbers,
  type TypeName,
  tabulate,
  total,
} from "./library-operator.ts";

type Rows = { readonly M: number; readonly N: number };
type Row = readonly number[];

const rowsOf = ({ M, N }: Rows, X: Row): readonly Row[] =>
  Array.from({ length: M }, (_, i) => X.slice(i * N, (i + 1) * N));
const sumOf = (row: Row): number => total(row.length, (at) => row[at]!);
const meanOf = (row: Row): number => sumOf(row) / row.length;
const varianceOf = (row: Row): number => meanOf(row.map((x) => (x - meanOf(row)) ** 2));
const epsilon = 1e-5;

interface RowOperator {
  readonly name: LibraryName;
  readonly make: (parameters: opLibrary.RowsParameters) => ReturnType<typeof opLibrary.sum>;
  readonly types?: readonly TypeName[];
  readonly callsFunctions?: boolean;
  readonly result: string;
  readonly row: (row: Row, weights: { readonly weight: Row; readonly bias: Row }) => Row;
}

const rowOperator = ({
  name,
  make,
  types = floats,
  callsFunctions = false,
  result,
  row,
}: RowOperator): LibraryOperator =>
  libraryOperator({
    name,
    types,
    callsFunctions,
    make: (parameters: Rows, { dtype }) => make({ ...parameters, dtype }),
    plain: (parameters, { X, weight = [], bias = [] }) => ({
      [result]: rowsOf(parameters, X!).flatMap((each) => row(each, { weight, bias })),
    }),
    small: (rng) => ({ M: drawExtent(7, rng), N: drawExtent(67, rng) }),
    shapes: [
      { M: 64, N: 1024 },
      { M: 512, N: 64 },
      { M: 61, N: 1009 },
    ],
  });

const rows: readonly LibraryOperator[] = [
  rowOperator({ name: "sum", make: opLibrary.sum, types: numbers, result: "y", row: (row) => [sumOf(row)] }),
  rowOperator({ name: "mean", make: opLibrary.mean, callsFunctions: true, result: "y", row: (row) => [meanOf(row)] }),
  rowOperator({
    name: "variance",
    make: opLibrary.variance,
    callsFunctions: true,
    result: "y",
    row: (row) => [varianceOf(row)],
  }),
  rowOperator({
    name: "scan",
    make: opLibrary.scan,
    types: numbers,
    result: "Y",
    row: (row) => row.map((_, at) => sumOf(row.slice(0, at + 1))),
  }),
  rowOperator({
    name: "softmax",
    make: opLibrary.softmax,
    callsFunctions: true,
    result: "Y",
    row: (row) => {
      const weights = row.map((x) => Math.exp(x - Math.max(...row)));
      return weights.map((weight) => weight / sumOf(weights));
    },
  }),
  rowOperator({
    name: "layerNorm",
    make: opLibrary.layerNorm,
    callsFunctions: true,
    result: "Y",
    row: (row, { weight, bias }) => {
      const [mean, deviation] = [meanOf(row), Math.sqrt(varianceOf(row) + epsilon)];
      return row.map((x, j) => ((x - mean) / deviation) * weight[j]! + bias[j]!);
    },
  }),
  rowOperator({
    name: "rmsNorm",
    make: opLibrary.rmsNorm,
    callsFunctions: true,
    result: "Y",
    row: (row, { weight }) => {
      const size = Math.sqrt(meanOf(row.map((x) => x * x)) + epsilon);
      return row.map((x, j) => (x / size) * weight[j]!);
    },
  }),
];

type Pool = { readonly [P in "N" | "H" | "W" | "C" | "size" | "stride" | "padding"]: number };

const smallPool = (rng: Rng): Pool => {
  const size = 1 + rng.below(3);
  return {
    N: 1 + rng.below(2),
    H: 4 + rng.below(4),
    W: 4 + rng.below(4),
    C: drawExtent(19, rng),
    size,
    stride: 1 + rng.below(3),
    padding: rng.below(2),
  };
};

/** The pixels of each window; what lies outside the image is `outside`. */
function windowsOf(p: Pool, image: Row, outside: number, reduce: (window: Row) => number): number[] {
  const count = (extent: number): number => Math.floor((extent + 2 * p.padding - p.size) / p.stride) + 1;
  return tabulate([p.N, count(p.H), count(p.W), p.C], (n, y, x, c) =>
    reduce(
      tabulate([p.size, p.size], (ry, rx) => {
        const [iy, ix] = [y! * p.stride - p.padding + ry!, x! * p.stride - p.padding + rx!];
        const isInside = iy >= 0 && iy < p.H && ix >= 0 && ix < p.W;
        return isInside ? image[((n! * p.H + iy) * p.W + ix) * p.C + c!]! : outside;
      }),
    ),
  );
}

const pool = (
  name: "maxPool2d" | "avgPool2d",
  callsFunctions: boolean,
  outside: number,
  reduce: (window: Row) => number,
): LibraryOperator =>
  libraryOperator({
    name,
    types: floats,
    callsFunctions,
    make: (parameters, { dtype }) => opLibrary[name]({ ...parameters, dtype }),
    plain: (p, { image }) => ({ out: windowsOf(p, image!, outside, reduce) }),
    small: smallPool,
    shapes: [
      { N: 1, H: 56, W: 56, C: 32, size: 2, stride: 2, padding: 0 },
      { N: 2, H: 28, W: 28, C: 64, size: 3, stride: 2, padding: 1 },
      { N: 1, H: 29, W: 31, C: 37, size: 3, stride: 1, padding: 1 },
    ],
  });

type Length = { readonly N: number };

const lengths: readonly [Length, Length, Length] = [{ N: 4096 }, { N: 65536 }, { N: 10007 }];

const maps: readonly LibraryOperator[] = [
  libraryOperator({
    name: "map",
    types: [...floats, "i32"],
    make: (parameters, { dtype }) => opLibrary.map({ ...parameters, dtype }, (x, y) => x.mul(y).max(x.sub(y))),
    plain: ({ N }, { x0, x1 }) => ({
      y: tabulate([N], (i) => Math.max(x0![i!]! * x1![i!]!, x0![i!]! - x1![i!]!)),
    }),
    small: (rng) => ({ N: drawExtent(99, rng) }),
    shapes: lengths,
  }),
  libraryOperator({
    name: "map",
    variant: "exp, tanh, sqrt",
    types: floats,
    callsFunctions: true,
    make: (parameters, { dtype }) =>
      opLibrary.map({ ...parameters, dtype }, (x) =>
        authoring.tanh(authoring.exp(x)).add(authoring.sqrt(authoring.abs(x))),
      ),
    plain: ({ N }, { x0 }) => ({
      y: tabulate([N], (i) => Math.tanh(Math.exp(x0![i!]!)) + Math.sqrt(Math.abs(x0![i!]!))),
    }),
    small: (rng) => ({ N: drawExtent(99, rng) }),
    shapes: lengths,
  }),
];

const foldBatchNorm = libraryOperator({
  name: "foldBatchNorm",
  types: floats,
  callsFunctions: true,
  make: (parameters, { dtype }) => opLibrary.foldBatchNorm({ ...parameters, dtype }),
  plain: ({ C }, { gamma, beta, mean, variance }) => {
    const scale = tabulate([C], (c) => gamma![c!]! / Math.sqrt(variance![c!]! + epsilon));
    return { scale, bias: tabulate([C], (c) => beta![c!]! - mean![c!]! * scale[c!]!) };
  },
  small: (rng) => ({ C: drawExtent(67, rng) }),
  shapes: [{ C: 64 }, { C: 2048 }, { C: 1009 }],
});

export const rowsPoolsAndMaps: readonly LibraryOperator[] = [
  ...rows,
  foldBatchNorm,
  pool("maxPool2d", false, Number.NEGATIVE_INFINITY, (window) => Math.max(...window)),
  pool("avgPool2d", true, 0, meanOf),
  ...maps,
];
