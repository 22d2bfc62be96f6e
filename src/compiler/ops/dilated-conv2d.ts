// Convolution with holes between the taps of a filter: conv2d with a dilation of 2 by default. Yu & Koltun 2016.

import type { Op } from "../expr/authoring.ts";
import { checked } from "../expr/library-arguments.ts";
import { type Conv2dParameters, conv2d, conv2dKinds } from "./conv2d.ts";
import type { Epilogue } from "./epilogue.ts";

/** @example export default dilatedConv2d({ H: 56, W: 56, C: 64, F: 64, padding: 2 }); */
export function dilatedConv2d(parameters: Conv2dParameters, epilogue: Epilogue = {}): Op {
  return conv2d({ dilation: 2, ...checked("dilatedConv2d", conv2dKinds, parameters) }, epilogue);
}
