// `import` of a kernel, by hooks that Node < 22.15 runs in a thread of their own. Unlike that of the program it need not wait for a worker.

import type { LoadHook, ResolveHook } from "node:module";
import { plainError } from "./plain-error.ts";
import { createCompiler } from "./register-compiler.ts";
import { idOf, resolve as resolveNow } from "./register-resolve.ts";

const compile = createCompiler();

export const resolve: ResolveHook = resolveNow;

export const load: LoadHook = async (url, context, next) => {
  const id = idOf(url);
  if (id === null) return next(url, context);
  try {
    const source = await compile({ id, isCommonJs: false });
    return source === null ? next(url, context) : { format: "module", source, shortCircuit: true };
  } catch (error) {
    throw plainError(error);
  }
};
