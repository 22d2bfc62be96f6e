// A scheduled operator → its WASM kernel, run where this runs: checked against the reference and measured beside plain loops.

import {
  type ComputeDef,
  compileJs,
  DiagnosticError,
  decode,
  evaluate,
  factsOf,
  invariant,
  isWasmSource,
  type KernelParameter,
  referenceLoops,
  type TypedArray,
  type WasmSource,
} from "../../../src/compiler/index.ts";
import { loadWasm } from "../../../src/native/load/load-wasm.ts";
import type { OutputBound } from "../../../src/native/runner/protocol.ts";
import { candidateKernel } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { boundsOf } from "../../../src/tuner/workbench/measurable.ts";
import { referenceTask } from "../../../src/tuner/workbench/reference.ts";
import type { Scheduled } from "./compile.ts";
import type { RunResult } from "./protocol.ts";

/** Milliseconds, rising; the worker's clock. */
export type Clock = () => number;

/** @throws DiagnosticError if the candidate's instructions are refused, which would be a bug of the space */
export function runKernel(scheduled: Scheduled, clock: Clock): RunResult {
  const { op } = scheduled.task;
  const source = bestTwin(scheduled);
  const kernel = loadWasm(source);
  const { inputs, expected } = referenceTask(scheduled.task);
  const views = kernel.buffers();
  inputs.forEach((input, at) => {
    views[at]!.set(input);
  });
  kernel.run();
  const { flops } = factsOf(op);
  const interpreted = flops <= mostInterpreted ? interpret(op, inputs) : null;
  const bounds = boundsOf(scheduled.task, scheduled.space, scheduled.candidate);
  const outputs = source.parameters.filter(({ role }) => role === "output");
  const checks = outputs.map((parameter, at) =>
    compare(
      parameter,
      views[inputs.length + at]!,
      interpreted?.[at] ?? expected[at]!.values,
      bounds?.[at] ?? expected[at]!.bound,
    ),
  );
  const loops = compileJs(referenceLoops(op));
  const into = expected.map(({ values }) => values.slice());
  return {
    twin: source.relaxed ? "wasm-relaxed" : "wasm",
    bytes: source.bytes.length,
    elements: outputs.reduce((sum, { length }) => sum + length, 0),
    reference: interpreted ? "interpreter" : "reference loops",
    wrong: checks.find(({ wrong }) => wrong !== null)?.wrong ?? null,
    largestError: Math.max(...checks.map(({ error }) => error)),
    kernelNs: medianNs(() => kernel.run(), clock),
    loopsNs: medianNs(() => loops(...inputs, ...into), clock),
    flops,
  };
}

/** The interpreter takes about a second for so many operations; beyond them the reference loops, of the same bits, answer. */
const mostInterpreted = 5e6;

function bestTwin({ task, space, candidate }: Scheduled): WasmSource {
  const kernel = candidateKernel(task, space, candidate);
  if (kernel.kind === "illegal") throw new DiagnosticError(kernel.diagnostic);
  const [plain, relaxed] = [kernel.source, kernel.relaxed()];
  invariant(isWasmSource(plain) && isWasmSource(relaxed), "the target is WASM");
  return WebAssembly.validate(relaxed.bytes) ? relaxed : plain;
}

function interpret(op: ComputeDef, inputs: readonly TypedArray[]): readonly TypedArray[] {
  const results = evaluate(op, Object.fromEntries(op.inputs.map(({ name }, at) => [name, inputs[at]!])));
  return op.outputs.map((name) => results[name]!);
}

interface Comparison {
  /** Null: near enough everywhere. */
  readonly wrong: string | null;
  /** Largest difference, beside the largest element. */
  readonly error: number;
}

/** A bound is relative to the element or to the largest one, whichever is larger. */
function compare(
  { name, dtype }: KernelParameter,
  actual: TypedArray,
  wanted: TypedArray,
  bound: OutputBound,
): Comparison {
  const valuesIn = (array: TypedArray): Float64Array => Float64Array.from(array, (stored) => decode(dtype, stored));
  const [found, right] = [valuesIn(actual), valuesIn(wanted)];
  const scale = right.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
  const { relative, absolute } = bound.kind === "within" ? bound : { relative: 0, absolute: 0 };
  let largest = 0;
  let wrong: string | null = null;
  right.forEach((value, at) => {
    const difference = Object.is(found[at], value) || found[at] === value ? 0 : Math.abs(found[at]! - value);
    if (difference > largest) largest = difference;
    if (difference <= absolute + relative * Math.max(Math.abs(value), scale)) return;
    if (Number.isNaN(value) && Number.isNaN(found[at])) return;
    wrong ??= `element ${at} of ${name} is ${found[at]}, the reference gives ${value}`;
  });
  return { wrong, error: scale > 0 ? largest / scale : largest };
}

/** Milliseconds of one sample: clocks of browsers may be as coarse as one. */
const sampleMs = 20;
const samples = 9;

/** Nanoseconds of a call, the median of samples that are long enough for a coarse clock. */
export function medianNs(call: () => void, clock: Clock): number {
  const timed = (calls: number): number => {
    const start = clock();
    for (let at = 0; at < calls; at += 1) call();
    return clock() - start;
  };
  let calls = 1;
  for (let ms = timed(calls); ms < sampleMs && calls < 1e7; ms = timed(calls)) calls *= ms * 2 < sampleMs ? 2 : 1.5;
  calls = Math.ceil(calls);
  const times = Array.from({ length: samples }, () => timed(calls) / calls).sort((a, b) => a - b);
  return times[(samples - 1) / 2]! * 1e6;
}
