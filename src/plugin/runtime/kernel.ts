// The kernel that an import gets: a function, `async`, `buffers`, `ready`, `info` and, with constant inputs, `pack`. It picks the best
// implementation that this machine can run when it is first called.

import { type AnyKernel, arrayTypes, type KernelTensorInfo } from "../../compiler/index.ts";
import { createArguments } from "./arguments.ts";
import { createCalls } from "./calls.ts";
import type { KernelFacts } from "./facts.ts";
import type { Implementation, Instance, ModuleContext, RuntimeTensor, Way } from "./implementation.ts";
import { buffersOf, createPack, createWholeCalls } from "./packable.ts";

const tensorOf = (info: KernelTensorInfo): RuntimeTensor => {
  const length = info.shape.reduce((product, extent) => product * extent, 1);
  return { ...info, length, array: arrayTypes[info.dtype] };
};

function contextOf(facts: KernelFacts, reasons: Set<string>): ModuleContext {
  const tensors = facts.tensors.map(tensorOf);
  const isConstant = ({ name, role }: RuntimeTensor): boolean => role === "input" && facts.constants.includes(name);
  return {
    facts,
    tensors,
    constants: tensors.filter(isConstant),
    others: tensors.filter((tensor) => !isConstant(tensor)),
    explain: (reason) => void reasons.add(reason),
  };
}

/** The implementation of a kernel, chosen once. */
function createChoice(facts: KernelFacts, ways: readonly Way[]) {
  const reasons = new Set(facts.reason === null ? [] : [facts.reason]);
  const reason = (): string | null => (reasons.size === 0 ? null : [...reasons].join("; "));
  const context = contextOf(facts, reasons);
  const loaders = ways.map((way) => way(context));
  let chosen: Implementation | null = null;
  const none = (): never => {
    throw new Error(`${facts.op}: ${reason()}; no twin was built (fallback=none)`);
  };
  const load = (): Implementation => {
    for (const loader of loaders) chosen ??= loader.now();
    return chosen ?? none();
  };
  const choose = async (): Promise<void> => {
    for (const loader of loaders) {
      const found = chosen ? null : await loader.soon();
      // A call may have chosen meanwhile.
      chosen ??= found;
    }
    chosen ?? none();
  };
  let choosing: Promise<void> | null = null;
  /** Calls that wait at once wait for one choice. A choice that failed, for want of a network say, is made again. */
  const ready = async (): Promise<void> => {
    if (chosen) return;
    choosing ??= choose().finally(() => {
      choosing = null;
    });
    await choosing;
  };
  /** Returns the implementation; null: it is not known before files have arrived. */
  const peek = (): Implementation | null => chosen ?? (loaders.some((loader) => loader.mustWait()) ? null : load());
  return { context, load, ready, peek, reason };
}

/**
 * Makes the kernel of an emitted module.
 *
 * @param ways the ways to an implementation, best first
 * @example export default createKernel({ op: "gemm", tensors: [...], wasm: {...} }, wasm);
 */
export function createKernel(facts: KernelFacts, ...ways: readonly Way[]): AnyKernel {
  const { context, load, ready, peek, reason } = createChoice(facts, ways);
  const { tensors, constants } = context;
  let own: Instance | null = null;
  const open = (): Instance => load().open();
  const instance = (): Instance => {
    own ??= open();
    return own;
  };
  const { op, parameters, target, numerics, schedule, gflops, cacheKey, errorBound } = facts;
  const info = Object.freeze({
    ...{ op, parameters, target, numerics, tensors: facts.tensors, schedule, gflops, cacheKey, errorBound },
    get twin() {
      return peek()?.kind ?? null;
    },
    get twinReason() {
      peek();
      return reason();
    },
  });
  const isPackable = constants.length > 0;
  const { call, callAsync } = isPackable
    ? createWholeCalls(context, instance, ready)
    : createCalls(createArguments(op, tensors), instance, ready);
  const buffers = (): object => buffersOf(instance(), tensors, tensors);
  const pack = isPackable && { pack: createPack(context, open, ready, info) };
  return Object.assign(call, { async: callAsync, buffers, ...pack, ready, info }) as unknown as AnyKernel;
}
