// Layers of networks for one image: the convolutions of ResNet-50 (He et al. 2016) and of MobileNet (Howard et al. 2017),
// softmax, layer normalisation and attention as in BERT. Filters stay the same.

import { opLibrary } from "../../../../src/compiler/index.ts";
import type { SuiteName, Work } from "../work.ts";

const { attention, conv2d, depthwiseConv2d, layerNorm, softmax } = opLibrary;

/** Height and width of the image, channels, filters, height and width of a filter, stride. */
type Layer = readonly [H: number, C: number, F: number, KH: number, stride: number];

const resNet50: readonly Layer[] = [
  [224, 3, 64, 7, 2],
  [56, 64, 64, 1, 1],
  [56, 64, 64, 3, 1],
  [56, 64, 256, 1, 1],
  [56, 256, 64, 1, 1],
  [56, 256, 128, 1, 1],
  [56, 128, 128, 3, 2],
  [28, 128, 128, 3, 1],
  [28, 128, 512, 1, 1],
  [28, 512, 128, 1, 1],
  [56, 256, 512, 1, 2],
  [28, 512, 256, 1, 1],
  [14, 256, 256, 3, 1],
  [14, 256, 1024, 1, 1],
  [14, 1024, 256, 1, 1],
  [28, 512, 1024, 1, 2],
  [14, 1024, 512, 1, 1],
  [7, 512, 512, 3, 1],
  [7, 512, 2048, 1, 1],
  [14, 1024, 2048, 1, 2],
];

const windowName = (H: number, KH: number, stride: number): string =>
  `${KH}×${KH}${stride > 1 ? `/${stride}` : ""} ${H}×${H}`;

const conv: readonly Work[] = resNet50.map(([H, C, F, KH, stride]) => {
  const padding = (KH - 1) / 2;
  return {
    suite: "conv",
    name: `${windowName(H, KH, stride)} ${C}→${F}`,
    op: conv2d({ H, W: H, C, F, KH, KW: KH, stride, padding }),
    constants: ["filter"],
    call: { name: "conv2d-f32", extents: [H, C, F, KH, stride, padding] },
  };
});

const mobileNet: readonly (readonly [H: number, C: number, stride: number])[] = [
  [112, 32, 1],
  [112, 64, 2],
  [56, 128, 1],
  [56, 128, 2],
  [28, 256, 1],
  [28, 256, 2],
  [14, 512, 1],
  [14, 512, 2],
  [7, 1024, 1],
];

const depthwise: readonly Work[] = mobileNet.map(([H, C, stride]) => ({
  suite: "depthwise",
  name: `${windowName(H, 3, stride)} ${C}`,
  op: depthwiseConv2d({ H, W: H, C, stride, padding: 1 }),
  constants: ["filter"],
  call: { name: "depthwise-f32", extents: [H, C, C, 3, stride, 1] },
}));

const rows: readonly (readonly [M: number, N: number])[] = [
  [512, 768],
  [512, 1024],
  [1024, 1024],
];

const softmaxes = rows.map(
  ([M, N]): Work => ({
    suite: "softmax",
    name: `softmax ${M}×${N}`,
    op: softmax({ M, N }),
    call: { name: "softmax-f32", extents: [M, N] },
  }),
);

const layerNorms = rows.map(
  ([M, N]): Work => ({
    suite: "layer-norm",
    name: `layerNorm ${M}×${N}`,
    op: layerNorm({ M, N }),
    call: { name: "layer-norm-f32", extents: [M, N] },
  }),
);

/** Attention of BERT base with 128 and 512 tokens, and of one long sequence. */
const heads: readonly (readonly [heads: number, tokens: number, D: number])[] = [
  [12, 128, 64],
  [12, 512, 64],
  [1, 2048, 64],
];

const attentions: readonly Work[] = heads.map(([heads, tokens, D]) => ({
  suite: "attention",
  name: `${heads}×${tokens}×${D}`,
  op: attention({ heads, M: tokens, N: tokens, D }),
  call: { name: "attention-f32", extents: [heads, tokens, D] },
}));

export const layerWorks: Readonly<Partial<Record<SuiteName, readonly Work[]>>> = {
  conv,
  depthwise,
  softmax: softmaxes,
  "layer-norm": layerNorms,
  attention: attentions,
};
