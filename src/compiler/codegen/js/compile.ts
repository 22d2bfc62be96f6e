// JsSource → a function over typed arrays.

import type { TypedArray } from "../../expr/kernel-type.ts";
import type { JsSource } from "../kernel-source.ts";

/** Takes the parameters in calling order (see `JsSource`) and writes the outputs. Does not check its arguments. */
export type JsKernel = (...args: readonly TypedArray[]) => void;

export function compileJs({ parameters, text }: JsSource): JsKernel {
  const names = parameters.map((_, index) => `arg${index}`);
  return new Function(...names, `"use strict";\n${text}`) as JsKernel;
}
