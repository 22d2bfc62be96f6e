// Any error of one kernel → a diagnostic that names the kernel, so that other kernels go on. A bug of ours, with its stack, is told
// apart from a refusal of the machine. Mistakes of the user are diagnostics already.

import { DiagnosticError } from "../../compiler/index.ts";
import { ProcessError } from "../../native/process/child-process.ts";

/**
 * Runs the work of one kernel.
 *
 * @param kernel as messages call it: src/gemm.op.ts?tune=avx2
 * @param signal aborts the work: its rejection is passed on as it is, as no kernel failed. Null: the work is never aborted
 * @param hint what to do about it meanwhile; null: nothing
 * @throws DiagnosticError `kernel.bug`, `kernel.machine`, and those of the work
 */
export async function failAlone<T>(
  kernel: string,
  signal: AbortSignal | null,
  work: () => Promise<T>,
  hint: string | null = null,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted || error instanceof DiagnosticError) throw error;
    throw failureOf(kernel, error, hint);
  }
}

function failureOf(kernel: string, error: unknown, hint: string | null): DiagnosticError {
  const reason = error instanceof Error ? error.message : String(error);
  const what = isOfMachine(error)
    ? ({ code: "kernel.machine", message: `${kernel}: ${reason}`, detail: null } as const)
    : ({
        code: "kernel.bug",
        message: `${kernel}: ${reason}; that is a bug of unplugin-kernel: please report it`,
        detail: framesOf(error),
      } as const);
  return new DiagnosticError({ ...what, loc: null, hint }, { cause: error });
}

/** Errors of the system name their call; of memory V8 says only that an allocation failed. */
const isOfMachine = (error: unknown): boolean =>
  error instanceof ProcessError ||
  (error instanceof Error && "syscall" in error) ||
  (error instanceof RangeError && /allocation failed|out of memory|could not allocate/i.test(error.message));

/** Lines of a stack that a report needs. */
const mostFrames = 12;

function framesOf(error: unknown): string | null {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return frames.length > 0 ? frames.slice(0, mostFrames).join("\n") : null;
}
