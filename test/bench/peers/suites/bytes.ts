// Operators on bytes, each with the same operator on f32: natively they are to be slower neither than as WASM nor than that.

import {
  cast,
  compute,
  defineOp,
  reduceAxis,
  sum as sumOver,
  tensor,
} from "../../../../src/compiler/expr/authoring.ts";
import { type DType, type Op, opLibrary } from "../../../../src/compiler/index.ts";
import type { SuiteName, Work } from "../work.ts";

const {
  batchMatmul,
  conv1d,
  conv2d,
  conv3d,
  depthwiseConv2d,
  dilatedConv2d,
  gemm,
  gemv,
  groupConv2d,
  map,
  maxPool2d,
  scan,
  sum,
  transposedConv2d,
} = opLibrary;

/** The types of an operator's inputs: of the first, and of the other if there is one. */
type Types = readonly [DType, DType];

interface Variants {
  readonly name: string;
  readonly of: (types: Types) => Op;
  readonly types: readonly Types[];
}

const products: readonly Types[] = [
  ["i8", "i8"],
  ["u8", "i8"],
];
const singles: readonly Types[] = [
  ["u8", "u8"],
  ["i8", "i8"],
];

const image = { H: 28, W: 28, C: 64, F: 64, padding: 1 } as const;

const library: readonly Variants[] = [
  ...([1, 64, 512] as const).map((M): Variants => {
    const shape = M === 1 ? { M, N: 1024, K: 1024 } : { M, N: M, K: M };
    return {
      name: `gemm ${shape.M}×${shape.N}×${shape.K}`,
      of: ([dtype, dtypeB]) => gemm({ ...shape, dtype, dtypeB }),
      types: products,
    };
  }),
  {
    name: "batchMatmul 16×64³",
    of: ([dtype, dtypeB]) => batchMatmul({ batch: 16, M: 64, N: 64, K: 64, dtype, dtypeB }),
    types: products,
  },
  { name: "gemv 1024²", of: ([dtype, dtypeX]) => gemv({ M: 1024, K: 1024, dtype, dtypeX }), types: products },
  {
    name: "conv1d 4096 64→64",
    of: ([dtype, filterDtype]) => conv1d({ W: 4096, C: 64, F: 64, K: 3, padding: 1, dtype, filterDtype }),
    types: products,
  },
  {
    name: "conv2d 28×28 64→64",
    of: ([dtype, filterDtype]) => conv2d({ ...image, dtype, filterDtype }),
    types: products,
  },
  {
    name: "dilatedConv2d 28×28 64→64",
    of: ([dtype, filterDtype]) => dilatedConv2d({ ...image, padding: 2, dtype, filterDtype }),
    types: products,
  },
  {
    name: "groupConv2d 28×28 64→64",
    of: ([dtype, filterDtype]) => groupConv2d({ ...image, groups: 4, dtype, filterDtype }),
    types: products,
  },
  {
    name: "transposedConv2d 28×28 64→64",
    of: ([dtype, filterDtype]) => transposedConv2d({ ...image, stride: 2, dtype, filterDtype }),
    types: products,
  },
  {
    name: "conv3d 8×28×28 16→16",
    of: ([dtype, filterDtype]) => conv3d({ D: 8, H: 28, W: 28, C: 16, F: 16, padding: 1, dtype, filterDtype }),
    types: products,
  },
  {
    name: "depthwiseConv2d 56×56 128",
    of: ([dtype, filterDtype]) => depthwiseConv2d({ H: 56, W: 56, C: 128, padding: 1, dtype, filterDtype }),
    types: products,
  },
  { name: "maxPool2d 56×56 64", of: ([dtype]) => maxPool2d({ H: 56, W: 56, C: 64, dtype }), types: singles },
  { name: "sum 1024×1024", of: ([dtype]) => sum({ M: 1024, N: 1024, dtype }), types: singles },
  { name: "sum 1×1048576", of: ([dtype]) => sum({ M: 1, N: 1 << 20, dtype }), types: singles },
  { name: "scan 64×1024", of: ([dtype]) => scan({ M: 64, N: 1024, dtype }), types: singles },
  { name: "map max 1 M", of: ([dtype]) => map({ N: 1 << 20, dtype }, (a, b) => a.max(b)), types: singles },
  { name: "map a·b + a 1 M", of: ([dtype]) => map({ N: 1 << 20, dtype }, (a, b) => a.mul(b).add(a)), types: singles },
];

/** Kernels on bytes that users write themselves. */
const own: readonly Variants[] = [
  { name: "as f32, 1 M", of: ([dtype]) => asFloats(dtype), types: singles },
  { name: "weights × f32 4096²", of: ([dtype]) => weightsTimesFloats(dtype), types: [["i8", "f32"]] },
  { name: "blur 3×3 1080×1920", of: ([dtype]) => blur(dtype), types: [["u8", "u8"]] },
];

const asFloats = (dtype: DType): Op =>
  defineOp({ N: 1 << 20 }, ({ N }) => {
    const X = tensor("X", [N], dtype);
    return compute("Y", [N], (i) => cast(X(i), "f32").mul(1 / 255));
  });

const weightsTimesFloats = (dtype: DType): Op =>
  defineOp({ N: 4096 }, ({ N }) => {
    const [W, x, k] = [tensor("W", [N, N], dtype), tensor("x", [N], "f32"), reduceAxis("k", N)];
    return compute("y", [N], (i) => sumOver(cast(W(i, k), "f32").mul(x(k)), k));
  });

/** Weights 1 2 1; floats are divided as such. */
const blur = (dtype: DType): Op =>
  defineOp({ H: 1080, W: 1920 }, ({ H, W }) => {
    const X = tensor("X", [H + 2, W + 2], dtype);
    const wide = dtype === "f32" ? "f32" : "i32";
    return compute("Y", [H, W], (i, j) => {
      const taps = [0, 1, 2].flatMap((a) =>
        [0, 1, 2].map((b) =>
          X(i.add(a), j.add(b))
            .cast(wide)
            .mul((a === 1 ? 2 : 1) * (b === 1 ? 2 : 1)),
        ),
      );
      const total = taps.reduce((all, tap) => all.add(tap));
      return wide === "f32" ? total.mul(1 / 16) : cast(total.floorDiv(16), dtype);
    });
  });

const bytes: readonly Work[] = [...library, ...own].flatMap(({ name, of, types }) =>
  types.map(
    ([first, second]): Work => ({
      suite: "bytes",
      name: `${name} ${first === second ? first : `${first}·${second}`}`,
      op: of([first, second]),
      floats: of(["f32", "f32"]),
      call: null,
    }),
  ),
);

export const byteWorks: Readonly<Partial<Record<SuiteName, readonly Work[]>>> = { bytes };
