// What a native kernel needs of the machine and does not get: a build warns, and takes the WASM twin.

import { tmpdir } from "node:os";
import { type DiagnosticCode, DiagnosticError } from "../../compiler/index.ts";

const codes: readonly DiagnosticCode[] = ["temp.unusable", "compiler.broken"];

export const isUnusable = (error: unknown): error is DiagnosticError =>
  error instanceof DiagnosticError && codes.includes(error.diagnostic.code);

/** Says whether a reason is the dynamic linker's for a file on a file system from which nothing may be run. */
export const isNoexec = (reason: string): boolean => /failed to map segment from shared object/.test(reason);

/** Error that the temporary directory does not serve. */
export const unusableTemp = (why: string, cause?: unknown): DiagnosticError =>
  new DiagnosticError(
    {
      code: "temp.unusable",
      message: `the temporary directory ${tmpdir()} (TMPDIR) cannot be used: ${why}`,
      loc: null,
      hint: "set TMPDIR to a directory that exists, has room, and is not mounted noexec",
      detail: null,
    },
    { cause },
  );

/** Error that a compiler ended with success and wrote nothing: a wrapper that is broken, or only pretends to compile. */
export const brokenCompiler = (path: string, file: string): DiagnosticError =>
  new DiagnosticError({
    code: "compiler.broken",
    message: `the C compiler ${path} ended with success, but wrote no ${file}`,
    loc: null,
    hint: "repair it, or name another one: UNPLUGIN_KERNEL_COMPILER",
    detail: null,
  });

/** Error that a compiler ended with success, and that nothing can run what it wrote. */
export const brokenAddon = (compiler: string, why: string): DiagnosticError =>
  new DiagnosticError({
    code: "compiler.broken",
    message: `the C compiler ${compiler} ended with success, but built an addon that ${why}`,
    loc: null,
    hint: "repair it, or name another one: UNPLUGIN_KERNEL_COMPILER",
    detail: null,
  });
