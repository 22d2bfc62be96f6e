// Runs an intrinsic that a user brought, and compares it with its meaning, which the interpreter runs: a kernel of nothing but
// calls of it, on random elements and on the least and greatest of their types.

import {
  arrayOf,
  byteSize,
  DiagnosticError,
  type DType,
  type Intrinsic,
  interpret,
  intrinsicCalls,
  isFloat,
  type KernelSource,
  needsToolchain,
  type Target,
} from "../../compiler/index.ts";
import { executorOf } from "../../native/backend/executors.ts";
import { withDirectoryIf } from "../../native/file/private-directory.ts";
import { createRunner } from "../../native/runner/client.ts";
import type { OutputBound, Runnable } from "../../native/runner/protocol.ts";
import type { Toolchain } from "../../native/toolchain/toolchain.ts";
import { createRng, type Rng } from "../support/rng.ts";

/** Number of calls, each on vectors of its own: enough for every lane to meet every extreme. */
const calls = 256;

/** Share of elements that are an extreme of their type. */
const extremeShare = 0.3;

/** Error that an intrinsic which rounds otherwise may have, relative to the largest result: a bit of bf16. */
const looseBound: OutputBound = { kind: "within", relative: 2 ** -7, absolute: 0 };

/**
 * Checks each intrinsic of a target by running it.
 *
 * @param toolchain compiler for C; null: intrinsics in C are not checked, as nothing of them can run
 * @throws DiagnosticError `intrinsic.wrong`, with the first element that differs
 */
export async function checkIntrinsics(target: Target, toolchain: Toolchain | null): Promise<void> {
  for (const intrinsic of target.intrinsics ?? []) await checkIntrinsic(intrinsic, target, toolchain);
}

async function checkIntrinsic(intrinsic: Intrinsic, target: Target, toolchain: Toolchain | null): Promise<void> {
  const { flat, source } = intrinsicCalls(intrinsic, target, calls);
  const isCompiled = needsToolchain(target);
  if (isCompiled && !toolchain) return;
  const rng = createRng(1);
  const { parameters } = source;
  const given = parameters.filter(({ role }) => role === "input");
  const inputs = given.map(({ dtype, length }) => arrayOf(dtype, Float64Array.from({ length }, drawer(dtype, rng))));
  const values = Object.values(
    interpret(flat, Object.fromEntries(given.map(({ name }, at) => [name, inputs[at]!]))),
  )[0]!;
  const bound: OutputBound = intrinsic.exact ? { kind: "exact" } : looseBound;
  await withDirectoryIf(isCompiled, async (directory) => {
    const runnable = await runnableOf(intrinsic, source, directory, toolchain);
    const runner = createRunner();
    try {
      runner.setTask({ parameters, inputs, expected: [{ values, bound }] });
      const outcome = await runner.check(runnable);
      if (outcome.kind === "timed-out") throw wrong(intrinsic, "does not end");
      if (outcome.kind !== "ok") throw wrong(intrinsic, `does not compute its meaning: ${outcome.reason}`);
    } finally {
      await runner.close();
    }
  });
}

async function runnableOf(
  intrinsic: Intrinsic,
  source: KernelSource,
  directory: string,
  toolchain: Toolchain | null,
): Promise<Runnable> {
  const [built] = await executorOf(source).build([source], { directory, toolchain });
  if (built?.kind === "built") return built.runnable;
  throw wrong(intrinsic, "cannot be built", built?.reason ?? null);
}

/** Draws elements of a type: of integers the whole range, of floats those from -1 to 1, so that sums neither overflow nor vanish. */
function drawer(dtype: DType, rng: Rng): () => number {
  if (isFloat(dtype)) return () => 2 * rng.unit() - 1;
  const bits = 8 * byteSize[dtype];
  const [least, most] = dtype === "u8" ? [0, 255] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
  const extremes = [least, most, 0, 1, -1].filter((value) => value >= least);
  return () => (rng.unit() < extremeShare ? rng.pick(extremes) : least + Math.floor(rng.unit() * (most - least + 1)));
}

const wrong = ({ name }: Intrinsic, what: string, detail: string | null = null): DiagnosticError =>
  new DiagnosticError({
    code: "intrinsic.wrong",
    message: `intrinsic ${name} ${what}`,
    loc: null,
    hint: "the text adds what its meaning computes to the result's operand; operands lie in row-major order",
    detail,
  });
