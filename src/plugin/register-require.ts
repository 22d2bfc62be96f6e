// `require` of a kernel, in programs that are CommonJS, by themselves or as tsx, tsc and Nest's builds make them of `import`: Node's hooks
// reach `import` alone. `require` waits, so a worker compiles while the program stands still.

import { existsSync } from "node:fs";
import Module from "node:module";
import { startWaitingWorker } from "../native/waiting-worker.ts";
import { locateOperatorNow } from "./locate-operator.ts";
import type { RequireAnswer } from "./register-worker.ts";

const asksForKernel = /\?(?:[^#]*&)?tune(?:=|&|$)/;

type Parent = { readonly filename?: string | null } | undefined;

/** Members of Node's module loader that loaders such as this one use, and that have no types. */
interface Loader {
  _load(request: string, parent: Parent, isMain: boolean): unknown;
}
interface Compiled {
  _compile(code: string, path: string): unknown;
}

/** Runs the code of a kernel's module. @param id path of its operator file, with the query: it stands for the module */
function exportsOf(code: string, id: string): object {
  const module = new Module(id);
  module.filename = id;
  (module as unknown as Compiled)._compile(code, id);
  return module.exports;
}

function raise({ name, message }: { readonly name: string; readonly message: string }): never {
  throw Object.assign(new Error(message), { name, stack: `${name}: ${message}\n` });
}

/** Lets `require` give kernels for specifiers with `?tune=`. */
export function hookRequire(): void {
  const loader = Module as unknown as Loader;
  const load = loader._load;
  const known = new Map<string, object>();
  let compile: ((id: string) => RequireAnswer) | null = null;

  const kernelOf = (request: string, importer: string): object | null => {
    const path = locateOperatorNow(request, importer);
    if (path === null || !existsSync(path)) return null;
    const id = path + request.slice(request.indexOf("?"));
    const loaded = known.get(id);
    if (loaded) return loaded;
    compile ??= startWaitingWorker<RequireAnswer>(new URL("./register-worker.js", import.meta.url));
    const answer = compile(id);
    if (answer.kind === "mistake") raise(answer);
    if (answer.kind === "none") return null;
    const module = exportsOf(answer.code, id);
    known.set(id, module);
    return module;
  };

  loader._load = function (this: unknown, request, parent, isMain) {
    const importer = asksForKernel.test(request) ? parent?.filename : null;
    return (importer && kernelOf(request, importer)) || load.call(this, request, parent, isMain);
  };
}
