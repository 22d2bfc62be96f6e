// Limits of what a kernel is put into: the lock file, an addon, the memory of a WASM module. They are checked before anything is
// measured, as a tuning whose result cannot be kept is lost.

import {
  byteSize,
  type ComputeDef,
  type Diagnostic,
  DiagnosticError,
  type KernelParameter,
  kernelParameters,
  needsToolchain,
  type SourceLoc,
} from "../../../compiler/index.ts";
import { longestOpName } from "../../../tuner/lock/lock-entry.ts";
import { badInKernelName, longestKernelName } from "../../../tuner/lock/lockfile.ts";
import type { KernelContext } from "../context/kernel-context.ts";

/** Most arrays that a call of an addon takes: UK_MAX_ARGUMENTS of native/load/kernel-table.h. */
export const mostArrays = 64;

/** Bytes that a WASM memory of 32-bit addresses has at most. */
const mostBytes = 2 ** 32;

function fail(code: Diagnostic["code"], message: string, hint: string, loc: SourceLoc | null = null): never {
  throw new DiagnosticError({ code, message, loc, hint, detail: null });
}

/** Refuses a path that the lock file could not hold, and so would not be readable with. */
function checkName({ lockName, op }: KernelContext): void {
  const path = lockName.split("?")[0]!;
  const bad = badInKernelName.exec(lockName)?.[0];
  const hint = "rename the file or a folder above it";
  if (bad !== undefined)
    fail("op.bad-path", `${JSON.stringify(path)} has ${JSON.stringify(bad)}, which the lock file cannot hold`, hint);
  const { length } = [...lockName];
  if (length > longestKernelName)
    fail("op.bad-path", `${path} is ${length} characters long with its query, the most is ${longestKernelName}`, hint);
  if (op.name.length > longestOpName)
    fail("op.bad-path", `the name ${op.name} has ${op.name.length} characters, the most is ${longestOpName}`, hint);
}

/** Line of the operator at which an array is declared or computed. */
const placeOf = ({ inputs, stages }: ComputeDef, array: string | undefined): SourceLoc | null =>
  [...inputs, ...stages].find(({ name }) => name === array)?.loc ?? null;

function checkCount({ lockName, op }: KernelContext, arrays: readonly KernelParameter[]): void {
  if (arrays.length <= mostArrays) return;
  const message = `${lockName} has ${arrays.length} arrays, an addon takes ${mostArrays} at most`;
  const hint = "join tensors of one shape to one tensor with one dimension more, or tune it for WASM (?tune=wasm)";
  fail("op.too-many-arrays", message, hint, placeOf(op, arrays[mostArrays]?.name));
}

function checkSize({ lockName, op }: KernelContext, arrays: readonly KernelParameter[]): void {
  const sizes = arrays.map(({ name, dtype, length }) => ({ name, bytes: length * byteSize[dtype] }));
  const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes <= mostBytes) return;
  const largest = sizes.reduce((most, one) => (one.bytes > most.bytes ? one : most));
  const gib = (bytes / 2 ** 30).toFixed(1);
  const message = `the arrays of ${lockName} take ${gib} GiB, the memory of a WASM module has 4 GiB at most`;
  const hint = "compute it in parts, or for a native target alone: ?tune=native&fallback=none";
  fail("op.too-large", message, hint, placeOf(op, largest.name));
}

/** @throws DiagnosticError `op.bad-path`, `op.too-many-arrays`, `op.too-large` */
export function checkLimits(context: KernelContext): void {
  const { task, op, request } = context;
  checkName(context);
  const arrays = kernelParameters(op);
  const isNative = needsToolchain(task.target);
  if (isNative) checkCount(context, arrays);
  // A native kernel has a WASM twin, unless there is to be none.
  if (!isNative || request.fallback !== "none") checkSize(context, arrays);
}
