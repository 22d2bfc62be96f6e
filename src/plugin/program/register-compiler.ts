// A kernel's id → the text of its module, for programs that run from their sources.

import { moduleInCode } from "../binding/module/in-code.ts";
import { runtimePaths, runtimeUrls } from "../binding/runtime-files.ts";
import { compileKernel } from "../kernel/compile/compile-kernel.ts";
import { waitingSink } from "../log/waiting-sink.ts";
import { modeOfProgram } from "../options/options.ts";
import { isOfOthers } from "../request/is-of-others.ts";
import { parseRequest } from "../request/request.ts";
import { createSession } from "../session/session.ts";

export interface ModuleQuestion {
  readonly id: string;
  /** Whether the module is for `require`. */
  readonly isCommonJs: boolean;
}

export type ModuleCompiler = (question: ModuleQuestion) => Promise<string | null>;

/** @returns a function whose answer is null where the file is another hook's, or Node's to refuse */
export function createCompiler(): ModuleCompiler {
  const session = createSession({ mode: modeOfProgram() }, compileKernel);
  session.configure(process.cwd(), waitingSink);
  return async ({ id, isCommonJs }) => {
    const request = parseRequest(id);
    if (!request) return null;
    const options = session.options();
    // `require` finds no path with a query, and says so itself. `import` would drop the query and give the operator.
    if (isCommonJs ? !options.accepts(request.path) : isOfOthers(request.path, id, options)) return null;
    const kernel = await session.compile(request);
    await session.finish(false);
    const files = isCommonJs ? runtimePaths() : runtimeUrls();
    return moduleInCode(kernel, request.path, "node", { files, hasSchedule: true, isCommonJs, isLocal: true });
  };
}
