// Loaded only where the plain loops are wanted: generating them takes all of lowering.

export { referenceLoops } from "../../compiler/index.ts";
export { asWritten } from "../../tuner/measure/computation.ts";
export { worstRelativeError } from "../../tuner/measure/error-bound.ts";
