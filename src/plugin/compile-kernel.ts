// From a request to a compiled kernel: the operator file is evaluated, then the mode decides who makes the kernel.

import { DiagnosticError } from "../compiler/index.ts";
import type { CompileKernel } from "./compiled-kernel.ts";

export const compileKernel: CompileKernel = async (request) => {
  throw new DiagnosticError({
    code: "plugin.mode",
    message: `mode ${request.mode} is not there yet`,
    loc: null,
    hint: null,
    detail: null,
  });
};
