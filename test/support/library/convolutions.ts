// Every convolution: of one, two or three dimensions, dilated, depthwise, in groups, transposed. All plain answers but the
// transposed one's come of one loop nest, that one's of scattering each pixel.

import { opLibrary } from "../../../src/compiler/index.ts";
import type { Rng } from "../../../src/tuner/support/rng.ts";
import {
  drawExtent,
  factors,
  floats,
  type LibraryOperator,
  libraryOperator,
  type TypeName,
  tabulate,
  type Values,
} from "./library-operator.ts";
import { plainEpilogue } from "./plain-epilogue.ts";

interface Volume {
  readonly N: number;
  readonly D: number;
  readonly H: number;
  readonly W: number;
  readonly C: number;
  readonly F: number;
  readonly KD: number;
  readonly KH: number;
  readonly KW: number;
  readonly stride: number;
  readonly dilation: number;
  readonly groups: number;
  /** Zeros around the volume: 0 along dimensions that an image or a sequence does not have. */
  readonly around: readonly [z: number, y: number, x: number];
}

/** image [N, D, H, W, C] · filter [KD, KH, KW, C / groups, F] → [N, OD, OH, OW, F]. */
function convolve(p: Volume, image: readonly number[], filter: readonly number[]): number[] {
  const out = (extent: number, size: number, padding: number): number =>
    Math.floor((extent + 2 * padding - p.dilation * (size - 1) - 1) / p.stride) + 1;
  const [CG, FG] = [p.C / p.groups, p.F / p.groups];
  const [pz, py, px] = p.around;
  const shape = [p.N, out(p.D, p.KD, pz), out(p.H, p.KH, py), out(p.W, p.KW, px), p.F];
  const pixel = (n: number, z: number, y: number, x: number, c: number): number =>
    z < 0 || z >= p.D || y < 0 || y >= p.H || x < 0 || x >= p.W
      ? 0
      : image[(((n * p.D + z) * p.H + y) * p.W + x) * p.C + c]!;
  return tabulate(shape, (n, z, y, x, f) => {
    let sum = 0;
    for (let kz = 0; kz < p.KD; kz++)
      for (let ky = 0; ky < p.KH; ky++)
        for (let kx = 0; kx < p.KW; kx++)
          for (let c = 0; c < CG; c++) {
            const iz = z! * p.stride - pz + kz * p.dilation;
            const iy = y! * p.stride - py + ky * p.dilation;
            const ix = x! * p.stride - px + kx * p.dilation;
            const tap = filter[(((kz * p.KH + ky) * p.KW + kx) * CG + c) * p.F + f!]!;
            sum += pixel(n!, iz, iy, ix, Math.floor(f! / FG) * CG + c) * tap;
          }
    return sum;
  });
}

const flat = { D: 1, KD: 1, groups: 1 };
const alongX = ({ padding }: { readonly padding: number }) => ({ around: [0, 0, padding] }) as const;
const alongYX = ({ padding }: { readonly padding: number }) => ({ around: [0, padding, padding] }) as const;

interface Variant {
  readonly variant?: string;
  readonly types?: readonly TypeName[];
  readonly callsFunctions?: boolean;
}

const window = (rng: Rng) => ({ stride: 1 + rng.below(3), padding: rng.below(3), dilation: 1 + rng.below(2) });
const tap = (rng: Rng): number => 1 + rng.below(3);
/** Wide enough for every window. */
const side = (rng: Rng): number => 5 + rng.below(3);

const conv1d = libraryOperator({
  name: "conv1d",
  types: factors,
  make: (parameters, { dtype, second }) => opLibrary.conv1d({ ...parameters, dtype, filterDtype: second }),
  plain: (p, { sequence, filter }) => ({
    out: convolve({ ...flat, ...alongX(p), ...p, H: 1, KH: 1, KW: p.K }, sequence!, filter!),
  }),
  small: (rng) => ({
    N: 1 + rng.below(2),
    W: 5 + rng.below(9),
    C: drawExtent(9, rng),
    F: drawExtent(23, rng),
    K: tap(rng),
    ...window(rng),
  }),
  shapes: [
    { N: 1, W: 256, C: 32, F: 64, K: 3, stride: 1, padding: 1, dilation: 1 },
    { N: 2, W: 128, C: 16, F: 64, K: 5, stride: 2, padding: 0, dilation: 2 },
    { N: 1, W: 113, C: 17, F: 41, K: 3, stride: 1, padding: 1, dilation: 1 },
  ],
});

type Image = { readonly [P in "N" | "H" | "W" | "C" | "F" | "KH" | "KW" | "stride" | "padding" | "dilation"]: number };

const smallImage = (rng: Rng): Image => ({
  N: 1 + rng.below(2),
  H: side(rng),
  W: side(rng),
  C: drawExtent(5, rng),
  F: drawExtent(19, rng),
  KH: tap(rng),
  KW: tap(rng),
  ...window(rng),
});

const three = { N: 1, KH: 3, KW: 3, stride: 1, padding: 1, dilation: 1 };
const images: readonly [Image, Image, Image] = [
  { ...three, H: 14, W: 14, C: 32, F: 32 },
  { ...three, H: 28, W: 28, C: 8, F: 32, stride: 2, padding: 0 },
  { ...three, H: 13, W: 11, C: 17, F: 23 },
];

const conv2d = (epilogue: opLibrary.Epilogue = {}, variant: Variant = {}): LibraryOperator =>
  libraryOperator({
    types: factors,
    ...variant,
    name: "conv2d",
    make: (parameters, { dtype, second }) => opLibrary.conv2d({ ...parameters, dtype, filterDtype: second }, epilogue),
    plain: (p, inputs) => {
      const out = convolve({ ...flat, ...alongYX(p), ...p }, inputs.image!, inputs.filter!);
      return { out: plainEpilogue(out, p.F, inputs, epilogue) };
    },
    small: smallImage,
    shapes: images,
  });

const dilatedConv2d = libraryOperator({
  name: "dilatedConv2d",
  types: factors,
  make: ({ dilation, ...parameters }, { dtype, second }) => {
    const all = { ...parameters, dtype, filterDtype: second };
    return opLibrary.dilatedConv2d(dilation === 2 ? all : { ...all, dilation });
  },
  plain: (p, { image, filter }) => ({ out: convolve({ ...flat, ...alongYX(p), ...p }, image!, filter!) }),
  small: (rng) => ({ ...smallImage(rng), H: 7 + rng.below(3), W: 7 + rng.below(3), dilation: 2 + rng.below(2) }),
  shapes: [
    { ...images[0], padding: 2, dilation: 2 },
    { ...images[1], dilation: 3 },
    { ...images[2], padding: 2, dilation: 2 },
  ],
});

const depthwiseConv2d = libraryOperator({
  name: "depthwiseConv2d",
  types: factors,
  make: ({ F: _, ...parameters }, { dtype, second }) =>
    opLibrary.depthwiseConv2d({ ...parameters, dtype, filterDtype: second }),
  plain: (p, { image, filter }) => ({
    out: convolve({ ...flat, ...alongYX(p), ...p, F: p.C, groups: p.C }, image!, filter!),
  }),
  small: (rng) => ({ ...smallImage(rng), C: drawExtent(19, rng) }),
  shapes: [
    { ...images[0], H: 28, W: 28, C: 64 },
    { ...images[1], H: 56, W: 56, C: 32 },
    { ...images[2], H: 29, W: 31, C: 37 },
  ],
});

const groupConv2d = (epilogue: opLibrary.Epilogue = {}, variant: Variant = {}): LibraryOperator =>
  libraryOperator({
    types: factors,
    ...variant,
    name: "groupConv2d",
    make: (p, { dtype, second }) => opLibrary.groupConv2d({ ...p, dtype, filterDtype: second }, epilogue),
    plain: (p, inputs) => {
      const out = convolve({ ...flat, ...alongYX(p), ...p }, inputs.image!, inputs.filter!);
      return { out: plainEpilogue(out, p.F, inputs, epilogue) };
    },
    small: (rng) => {
      const groups = 1 + rng.below(3);
      return { ...smallImage(rng), C: groups * drawExtent(3, rng), F: groups * drawExtent(11, rng), groups };
    },
    shapes: [
      { ...images[0], C: 64, F: 64, groups: 4 },
      { ...images[1], C: 32, F: 64, groups: 2 },
      { ...images[2], C: 3 * 11, F: 3 * 13, groups: 3 },
    ],
  });

const conv3d = libraryOperator({
  name: "conv3d",
  types: factors,
  make: (parameters, { dtype, second }) => opLibrary.conv3d({ ...parameters, dtype, filterDtype: second }),
  plain: (p, { volume, filter }) => ({
    out: convolve({ ...p, groups: 1, around: [p.padding, p.padding, p.padding] }, volume!, filter!),
  }),
  small: (rng) => ({
    ...smallImage(rng),
    N: 1,
    D: 3 + rng.below(3),
    KD: 1 + rng.below(2),
    C: drawExtent(3, rng),
    F: drawExtent(17, rng),
  }),
  shapes: [
    { ...three, D: 6, H: 10, W: 10, C: 16, F: 16, KD: 3 },
    { ...three, D: 8, H: 12, W: 12, C: 4, F: 32, KD: 2, stride: 2, padding: 0 },
    { ...three, D: 5, H: 7, W: 11, C: 7, F: 13, KD: 3 },
  ],
});

interface Transposed {
  readonly N: number;
  readonly H: number;
  readonly W: number;
  readonly C: number;
  readonly F: number;
  readonly KH: number;
  readonly KW: number;
  readonly stride: number;
  readonly padding: number;
  readonly outputPadding: number;
}

/** Each pixel, times the filter, is added where the filter lies over the result. */
function scatter(p: Transposed, image: readonly number[], filter: readonly number[]): number[] {
  const OH = (p.H - 1) * p.stride - 2 * p.padding + p.KH + p.outputPadding;
  const OW = (p.W - 1) * p.stride - 2 * p.padding + p.KW + p.outputPadding;
  const out = Array.from({ length: p.N * OH * OW * p.F }, () => 0);
  tabulate([p.N, p.H, p.W, p.C], (n, iy, ix, c) => {
    const pixel = image[((n! * p.H + iy!) * p.W + ix!) * p.C + c!]!;
    tabulate([p.KH, p.KW, p.F], (ky, kx, f) => {
      const [y, x] = [iy! * p.stride + ky! - p.padding, ix! * p.stride + kx! - p.padding];
      const product = pixel * filter[((ky! * p.KW + kx!) * p.C + c!) * p.F + f!]!;
      if (y >= 0 && y < OH && x >= 0 && x < OW) out[((n! * OH + y) * OW + x) * p.F + f!]! += product;
      return 0;
    });
    return 0;
  });
  return out;
}

const transposedConv2d = (epilogue: opLibrary.Epilogue = {}, variant: Variant = {}): LibraryOperator =>
  libraryOperator({
    types: factors,
    ...variant,
    name: "transposedConv2d",
    make: (p, { dtype, second }) => opLibrary.transposedConv2d({ ...p, dtype, filterDtype: second }, epilogue),
    plain: (p, inputs: Values) => ({
      out: plainEpilogue(scatter(p, inputs.image!, inputs.filter!), p.F, inputs, epilogue),
    }),
    small: (rng) => ({
      N: 1 + rng.below(2),
      H: 2 + rng.below(3),
      W: 2 + rng.below(3),
      C: drawExtent(5, rng),
      F: drawExtent(19, rng),
      KH: 2 + rng.below(3),
      KW: 2 + rng.below(3),
      stride: 1 + rng.below(3),
      padding: rng.below(2),
      outputPadding: rng.below(2),
    }),
    shapes: [
      { N: 1, H: 14, W: 14, C: 32, F: 32, KH: 4, KW: 4, stride: 2, padding: 1, outputPadding: 0 },
      { N: 1, H: 10, W: 10, C: 32, F: 32, KH: 3, KW: 3, stride: 2, padding: 1, outputPadding: 1 },
      { N: 1, H: 7, W: 11, C: 13, F: 23, KH: 5, KW: 3, stride: 3, padding: 1, outputPadding: 0 },
    ],
  });

const resNet = { scale: true, bias: true, residual: true, activation: "relu" } as const;

export const convolutions: readonly LibraryOperator[] = [
  conv1d,
  conv2d(),
  conv2d(resNet, { variant: "batch norm, residual, relu", types: floats }),
  conv2d({ bias: true, activation: "gelu" }, { variant: "bias, gelu", types: floats, callsFunctions: true }),
  conv3d,
  transposedConv2d(),
  transposedConv2d({ bias: true, activation: "relu" }, { variant: "bias, relu", types: floats }),
  dilatedConv2d,
  depthwiseConv2d,
  groupConv2d(),
  groupConv2d({ scale: true, bias: true }, { variant: "batch norm", types: floats }),
];
