// Loaded only where the plain loops are wanted: generating them takes all of lowering.

export { referenceLoops } from "../../../compiler/index.ts";
export { worstRelativeError } from "../../../tuner/check/error-bound.ts";
export { asWritten } from "../../../tuner/data/computation.ts";
