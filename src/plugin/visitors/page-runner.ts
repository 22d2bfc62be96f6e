// A browser as the runner of a workbench: candidates go to its page, their outputs come back and are compared here before their times count.

import { arrayTypes, type KernelParameter, newArray, type TypedArray } from "../../compiler/index.ts";
import { isLate, within } from "../../native/machine/clock.ts";
import type { Runner } from "../../native/runner/client.ts";
import type { Runnable, RunOutcome, RunTask, WasmRunnable } from "../../native/runner/protocol.ts";
import type { WgslRunnable } from "../../native/webgpu/loader.ts";
import { verdictOf } from "../../tuner/workbench/own-runner.ts";
import type { Answer } from "./decode.ts";
import type { Job, JobCode, JobFunction, JobTensor } from "./messages.ts";
import type { PageMachine } from "./page-machine.ts";

/** Place where pages find the inputs of tasks. */
export interface InputShelf {
  /** Number of a task. */
  put(inputs: readonly TypedArray[]): number;
}

/** Samples of a candidate in a search, and the least time of each in milliseconds: clocks of browsers are coarse. */
const searched = { samples: 3, sampleMs: 10 };

const tensorOf = ({ name, role, dtype, length }: KernelParameter): JobTensor => ({
  name,
  role,
  array: arrayTypes[dtype].name,
  length,
});

/** Code of a runnable as pages get it, by its kind. */
const codes: Readonly<Record<string, (runnable: Runnable) => JobCode>> = {
  wgsl(runnable) {
    const { text, launches, scratch } = runnable as WgslRunnable;
    return { kind: "wgsl", text, launches, scratch };
  },
  wasm(runnable) {
    const { bytes, offsets, sharing } = runnable as WasmRunnable;
    return { kind: "wasm", bytes: Buffer.from(bytes).toString("base64"), offsets, sharing };
  },
};

/** Null: pages run no such code. */
function functionOf(runnable: Runnable, parameters: readonly KernelParameter[]): JobFunction | null {
  const code = codes[runnable.kind]?.(runnable);
  return code ? { code, tensors: parameters.map(tensorOf) } : null;
}

/** Outputs in the bytes of an answer; null: they are not of this task. */
function outputsIn({ outputs }: Answer, { parameters }: RunTask): readonly TypedArray[] | null {
  const results = parameters.filter(({ role }) => role === "output");
  const arrays = results.map(({ dtype, length }) => newArray(dtype, length));
  if (arrays.reduce((sum, { byteLength }) => sum + byteLength, 0) !== outputs.length) return null;
  let start = 0;
  for (const array of arrays) {
    new Uint8Array(array.buffer).set(outputs.subarray(start, start + array.byteLength));
    start += array.byteLength;
  }
  return arrays;
}

function outcomeOf(answer: Answer, task: RunTask, { bounds }: Runnable): RunOutcome {
  const { ran } = answer;
  if ("failed" in ran) return { kind: "crashed", reason: ran.failed };
  if (ran.ns.length === 0) return { kind: "crashed", reason: "the page sent no times" };
  const outputs = outputsIn(answer, task);
  if (!outputs) return { kind: "crashed", reason: "the page sent outputs of another length" };
  return verdictOf(task, bounds, outputs) ?? { kind: "ok", samplesNs: ran.ns };
}

/** @param deadlineMs longest time for one candidate */
export function pageRunner(machine: PageMachine, shelf: InputShelf, deadlineMs = 20_000): Runner {
  let task: RunTask | null = null;
  let number = -1;
  const run = async (
    candidate: Runnable,
    timing: Pick<Job, "samples" | "sampleMs">,
    leftMs = (): number => deadlineMs,
  ): Promise<RunOutcome> => {
    const { preparation } = candidate;
    const own = functionOf(candidate, preparation?.used ?? task!.parameters);
    const prepared = preparation ? functionOf(preparation.kernel, preparation.parameters) : null;
    if (!own || (preparation && !prepared)) return { kind: "build-failed", reason: "pages run no such code" };
    const limitMs = Math.max(0, Math.min(deadlineMs, leftMs()));
    const answer = await within(limitMs, machine.run({ task: number, preparation: prepared, kernel: own, ...timing }));
    return answer === isLate ? { kind: "timed-out", deadlineMs: limitMs } : outcomeOf(answer, task!, candidate);
  };
  return {
    setTask(next) {
      if (next === task) return;
      task = next;
      number = shelf.put(next.inputs);
    },
    run: ({ candidate, samples = searched.samples, leftMs }) => run(candidate, { ...searched, samples }, leftMs),
    sample: (candidate, _sampleNs, _cache, leftMs) => run(candidate, { ...searched, samples: 1 }, leftMs),
    forget: () => undefined,
    close: async () => undefined,
  };
}
