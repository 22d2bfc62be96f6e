// `import` of a kernel, by synchronous hooks in the program's own thread: Node ≥ 22.15, and Deno.

import { moduleText } from "./register-ask.ts";
import { idOf, type Resolve, resolve as resolveKernel } from "./register-resolve.ts";

/** Part of what Node and Deno tell a hook that loads. */
interface LoadContext {
  readonly conditions?: readonly string[];
}

export type Load = <Context extends LoadContext, Answer>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Answer,
) => Answer | { readonly format: string; readonly source: string; readonly shortCircuit: true };

/** `registerHooks` of node:module, which @types/node of Node 20 does not have. */
export type RegisterHooks = (hooks: { readonly resolve?: Resolve; readonly load: Load }) => unknown;

/** Leaves the imports of `require` alone: `hookRequire` looked at them before, and the rest is no kernel. */
const resolve: Resolve = (specifier, context, next) =>
  context.conditions?.includes("require") ? next(specifier, context) : resolveKernel(specifier, context, next);

const load: Load = (url, context, next) => {
  const id = idOf(url);
  const source = id && moduleText({ id, isCommonJs: false });
  return source ? { format: "module", source, shortCircuit: true } : next(url, context);
};

/** Lets `import` give kernels for specifiers with `?tune=`. */
export const hookImports = (registerHooks: RegisterHooks): unknown => registerHooks({ resolve, load });
