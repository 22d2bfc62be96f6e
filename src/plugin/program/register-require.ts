// `require` of a kernel, in programs that are CommonJS, by themselves or as tsx, tsc and Nest's builds make them of `import`. Node's hooks
// either do not reach it, or take two kernels of one operator for the same module: they drop the query from its name.

import { existsSync } from "node:fs";
import Module from "node:module";
import { moduleText } from "./register-ask.ts";
import { kernelId } from "./register-resolve.ts";

type Parent = { readonly filename?: string | null } | undefined;

/** Members of Node's module loader that loaders such as this one use, and that have no types. */
interface Loader {
  _load(request: string, parent: Parent, isMain: boolean): unknown;
}
interface Compiled {
  _compile(code: string, path: string): unknown;
}

/** Runs the code of a kernel's module. @param id stands for the module */
function exportsOf(code: string, id: string): object {
  const module = new Module(id);
  module.filename = id;
  (module as unknown as Compiled)._compile(code, id);
  return module.exports;
}

/** Lets `require` give kernels for specifiers with `?tune=`. */
export function hookRequire(): void {
  const loader = Module as unknown as Loader;
  const load = loader._load;
  const known = new Map<string, object>();

  const kernelOf = (request: string, importer: string): object | null => {
    const id = kernelId(request, importer);
    if (id === null || !existsSync(id.slice(0, id.indexOf("?")))) return null;
    const loaded = known.get(id);
    if (loaded) return loaded;
    const code = moduleText({ id, isCommonJs: true });
    if (code === null) return null;
    const module = exportsOf(code, id);
    known.set(id, module);
    return module;
  };

  loader._load = function (this: unknown, request, parent, isMain) {
    const importer = parent?.filename;
    return (importer && kernelOf(request, importer)) || load.call(this, request, parent, isMain);
  };
}
