// The measuring process's side of a task: messages in, outcomes out. No timers, no callbacks: the client watches the
// clock, and ends the process if a kernel does not come back.

import { invariant, type KernelParameter } from "../../compiler/index.ts";
import type { Core } from "../harness/probe.ts";
import { type Arena, bytesOf, createArena } from "./arena.ts";
import { type ExpectedOutput, expectOutput, mismatch, tellsNothing } from "./compare.ts";
import { loaderOfModule } from "./load-module.ts";
import { isOnDevice, type RunnableKernel, type RunnableLoader, type TimedKernel } from "./loader.ts";
import type { KernelArray, PreparationKernel, Runnable, RunOutcome, RunTask, ToWorker } from "./protocol.ts";
import { awaited, type Steps, settle } from "./steps.ts";
import { type TimingSurroundings, timeKernel, timeOnDevice, timeSample } from "./time-kernel.ts";
import { createYardstick, longestYardstickNs, type Yardstick } from "./yardstick.ts";

interface TaskState {
  readonly parameters: readonly KernelParameter[];
  readonly inputs: readonly KernelArray[];
  readonly expected: readonly ExpectedOutput[];
  /** Arguments of kernels that take addresses; others have theirs in their own memory. */
  readonly arena: Arena;
}

interface Kept {
  readonly kernel: RunnableKernel;
  readonly estimateNs: number;
}

type SessionMachine = Omit<TimingSurroundings, "yardstick">;

export interface MeasuringSession {
  /**
   * Handles one message. Returns null for those that have no answer, and a promise only where a kernel is of a foreign back end, or runs
   * on a device.
   */
  handle(message: ToWorker): RunOutcome | null | Promise<RunOutcome | null>;
  /** Gets ready what a message's candidate needs beside its own code; null: nothing. */
  prepare(message: ToWorker): Promise<void> | null;
}

/** @param loaders those of our own back ends; a foreign one's is a module that its runnables name */
export function createMeasuringSession(loaders: readonly RunnableLoader[], machine: SessionMachine): MeasuringSession {
  let state: TaskState | null = null;
  let yardstick: Yardstick | null = null;
  const kept = new Map<number, Kept>();
  const loaderOf = (candidate: Runnable): RunnableLoader | Promise<RunnableLoader> =>
    candidate.module === undefined
      ? (loaders.find(({ kind }) => kind === candidate.kind) ?? noLoader(candidate))
      : loaderOfModule(candidate.module);

  function* outcomeOf(message: Extract<ToWorker, { readonly id: number }>): Steps<RunOutcome> {
    const task = state;
    invariant(task, "a task comes before its candidates");
    const checked = (candidate: Runnable): Steps<CheckedKernel | RunOutcome> =>
      checkCandidate(task, candidate, loaderOf);
    if (message.kind === "sample") return yield* sampleKept(kept, message, machine, checked);
    const one = yield* checked(message.candidate);
    if ("kind" in one) return one;
    const { kernel, firstNs } = one;
    if (message.kind === "check") return { kind: "ok", samplesNs: [firstNs] };
    const { plan } = message;
    if (isOnDevice(kernel)) return { kind: "ok", samplesNs: yield* timeOnDevice(kernel, firstNs, plan) };
    const samplesNs = timeKernel(kernel, firstNs, plan, { ...machine, yardstick });
    const timed = { kernel, estimateNs: Math.min(...samplesNs) };
    const better = plan.cache === "hot" && betterYardstick(yardstick, timed, plan.sampleNs, machine.core);
    if (!better) return { kind: "ok", samplesNs };
    yardstick = better;
    return { kind: "ok", samplesNs: withReading(samplesNs, better.ns()) };
  }

  return {
    prepare: (message) => ("candidate" in message && message.candidate ? readyFor(message.candidate) : null),
    handle(message) {
      if (message.kind === "task") [state, yardstick] = [stateOf(message.task), null];
      if (message.kind === "task" || message.kind === "forget") kept.clear();
      if (message.kind === "forget" && state) state = { ...state, arena: createArena(state.parameters) };
      if (message.kind === "task" || message.kind === "forget") return null;
      return settle(trapsAsValues(outcomeOf(message)));
    },
  };
}

/** A loader that cannot be had, or get ready, is told of when the candidate is loaded. */
const readyFor = ({ module }: Runnable): Promise<void> | null =>
  module === undefined
    ? null
    : loaderOfModule(module)
        .then((loader) => loader.ready?.())
        .catch(() => undefined);

type LoaderOf = (candidate: Runnable) => RunnableLoader | Promise<RunnableLoader>;

function noLoader({ kind }: Runnable): never {
  throw new Error(`this process cannot load kernels of kind "${kind}"`);
}

function stateOf({ parameters, inputs, expected }: RunTask): TaskState {
  const outputs = parameters.filter(({ role }) => role === "output");
  invariant(inputs.length + expected.length === parameters.length, "a task has an array for each parameter");
  return {
    parameters,
    inputs,
    expected: outputs.map((output, index) => {
      const { values, bound, exact } = expected[index]!;
      return expectOutput(output, values, bound, exact);
    }),
    arena: createArena(parameters),
  };
}

/** A kernel that gives right answers, and the time of its first run. */
interface CheckedKernel {
  readonly kernel: RunnableKernel;
  readonly firstNs: number;
}

function* checkCandidate(state: TaskState, candidate: Runnable, loaderOf: LoaderOf): Steps<CheckedKernel | RunOutcome> {
  const place = yield* placeOf(state, candidate, loaderOf);
  if ("kind" in place) return place;
  const kernel = yield* load(candidate, place, loaderOf);
  if ("kind" in kernel) return kernel;
  fillArguments(state, place, kernel);
  const firstNs = yield* runOnce(kernel);
  return wrongness(state, place, candidate, kernel) ?? { kernel, firstNs };
}

/** Runs a kernel once on what its arrays hold. Returns the nanoseconds of the run. */
function* runOnce(kernel: RunnableKernel): Steps<number> {
  if (!isOnDevice(kernel)) return kernel.time(1);
  yield* awaited(kernel.upload());
  const ns = yield* awaited(kernel.time(1));
  yield* awaited(kernel.download());
  return ns;
}

const overrunOf = (kernel: RunnableKernel): string | null => (isOnDevice(kernel) ? null : (kernel.overrun?.() ?? null));

/** Parameters of a kernel, its inputs' values, and the memory of native arguments. */
interface Place {
  readonly parameters: readonly KernelParameter[];
  readonly inputs: readonly KernelArray[];
  readonly arena: Arena;
}

/** Returns the task's own place; for a kernel with a preparation, one with the prepared arrays among the inputs. */
function* placeOf(state: TaskState, { preparation }: Runnable, loaderOf: LoaderOf): Steps<Place | RunOutcome> {
  if (!preparation) return state;
  const prepared = yield* preparedInputs(state, preparation, loaderOf);
  if ("kind" in prepared) return prepared;
  return { parameters: preparation.used, inputs: [...state.inputs, ...prepared], arena: createArena(preparation.used) };
}

/** Runs the preparation once. Returns the arrays that it computes from the task's inputs. */
function* preparedInputs(
  state: TaskState,
  { kernel: preparing, parameters }: PreparationKernel,
  loaderOf: LoaderOf,
): Steps<readonly KernelArray[] | RunOutcome> {
  const place: Place = { parameters, inputs: state.inputs, arena: createArena(parameters) };
  const kernel = yield* load(preparing, place, loaderOf);
  if ("kind" in kernel) return kernel;
  for (const [at, { name, role }] of parameters.entries()) {
    const array = bytesOf(kernel.arrays[at]!);
    // An element that it does not write reads as NaN, or as -1.
    if (role === "output") array.fill(0xff);
    else array.set(bytesOf(state.inputs[state.parameters.findIndex((it) => it.name === name)]!));
  }
  yield* runOnce(kernel);
  const overrun = overrunOf(kernel);
  if (overrun !== null) return { kind: "wrong-result", reason: `its preparation wrote outside ${overrun}` };
  return kernel.arrays.filter((_, at) => parameters[at]!.role === "output");
}

/** Loads a kernel. An error that the candidate's own text can cause is an outcome; all others end this process. */
function* load(candidate: Runnable, place: Place, loaderOf: LoaderOf): Steps<RunnableKernel | RunOutcome> {
  const loader = yield* awaited(loaderOf(candidate));
  try {
    return yield* awaited(loader.load(candidate, place));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { kind: "build-failed", reason: `${error.name}: ${error.message}`.slice(0, 1000) };
  }
}

function fillArguments({ expected }: TaskState, { inputs }: Place, { arrays }: RunnableKernel): void {
  for (const [index, input] of inputs.entries()) bytesOf(arrays[index]!).set(bytesOf(input));
  for (const [index, { sentinel }] of expected.entries())
    bytesOf(arrays[inputs.length + index]!).set(bytesOf(sentinel));
}

const wrong = (reason: string): RunOutcome => ({ kind: "wrong-result", reason });

/** Compares outputs with the reference, inputs with what they were, and where they lie between red zones checks the memory around both. */
function wrongness(
  { expected }: TaskState,
  place: Place,
  candidate: Runnable,
  kernel: RunnableKernel,
): RunOutcome | null {
  const { inputs, parameters } = place;
  const { arrays } = kernel;
  const overrun = overrunOf(kernel);
  if (overrun !== null) return wrong(`it wrote outside ${overrun}`);
  const changed = inputs.findIndex((input, index) => Buffer.compare(bytesOf(input), bytesOf(arrays[index]!)) !== 0);
  if (changed >= 0) return wrong(`it wrote its input ${parameters[changed]!.name}`);
  let hidden: RunOutcome | null = null;
  for (const [index, output] of expected.entries()) {
    const bound = candidate.bounds?.[index] ?? output.bound;
    const reason = mismatch({ ...output, bound }, arrays[inputs.length + index]!);
    if (reason === null) continue;
    if (!tellsNothing(output)) return wrong(reason);
    hidden = { kind: "ill-conditioned", reason };
  }
  return hidden;
}

/**
 * Lowers the least sample to the yardstick's reading where that is less. Readings wait for a calm core; samples without a
 * yardstick, or beside a slow one, do not.
 */
function withReading(samplesNs: readonly number[], ns: number): readonly number[] {
  const leastNs = Math.min(...samplesNs);
  return samplesNs.with(samplesNs.indexOf(leastNs), Math.min(leastNs, ns));
}

/**
 * A kernel replaces the yardstick only when it is this many times as fast: each new yardstick is a little off the one
 * before.
 */
const muchFaster = 1.25;

interface Timed {
  readonly kernel: TimedKernel;
  readonly estimateNs: number;
}

/** Returns a yardstick of the kernel if it is much faster, or null: the present one keeps its place. */
function betterYardstick(
  yardstick: Yardstick | null,
  { kernel, estimateNs }: Timed,
  sampleNs: number,
  core: Core,
): Yardstick | null {
  const isBetter = estimateNs * muchFaster < (yardstick?.ns() ?? longestYardstickNs);
  return isBetter ? createYardstick(kernel, estimateNs, sampleNs, core) : null;
}

/**
 * Takes a sample of a kept kernel. A new one is loaded, checked and timed first, which tells how many runs fill a sample;
 * for a long-running kernel that first time is the sample.
 */
function* sampleKept(
  kept: Map<number, Kept>,
  { slot, candidate, sampleNs, cache }: Extract<ToWorker, { kind: "sample" }>,
  machine: SessionMachine,
  checked: (candidate: Runnable) => Steps<CheckedKernel | RunOutcome>,
): Steps<RunOutcome> {
  const plan = { cache, incumbentNs: null, samples: 1, agreement: 0, sampleNs, budgetNs: Number.POSITIVE_INFINITY };
  if (candidate) {
    const one = yield* checked(candidate);
    if ("kind" in one) return one;
    const { kernel, firstNs } = one;
    const [estimateNs = firstNs] = isOnDevice(kernel)
      ? yield* timeOnDevice(kernel, firstNs, plan)
      : timeKernel(kernel, firstNs, plan, { ...machine, yardstick: null });
    kept.set(slot, { kernel, estimateNs });
    if (estimateNs > longestYardstickNs) return { kind: "ok", samplesNs: [estimateNs] };
  }
  const known = kept.get(slot);
  invariant(known, "only a kept kernel is sampled");
  const { kernel, estimateNs } = known;
  const samplesNs = isOnDevice(kernel)
    ? yield* timeOnDevice(kernel, estimateNs, plan)
    : [timeSample(kernel, estimateNs, sampleNs, cache, machine)];
  return { kind: "ok", samplesNs };
}

/** Turns a WASM trap into an outcome: it unwinds to us and leaves the process sound. A stack overflow is a RangeError. */
function* trapsAsValues(steps: Steps<RunOutcome>): Steps<RunOutcome> {
  try {
    return yield* steps;
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    return { kind: "crashed", reason: `${error.name}: ${error.message}` };
  }
}
