// A compiled kernel and the places of its binaries → what the emitted module says of it, for the runtime.

import { invariant } from "../../../compiler/index.ts";
import type { CompiledKernel } from "../../kernel/compiled-kernel.ts";
import type { KernelFacts } from "../../runtime/facts.ts";
import type { Written } from "../literal.ts";
import { bindingOf } from "../twin/index.ts";
import type { ImplementationName, ModuleImport, TwinPlace, WrittenBeside, WrittenTwin } from "../twin/twin-binding.ts";
import { type WrittenVariant, writeVariants } from "./variants.ts";
import { writtenBound } from "./written-bound.ts";

/** Facts for the runtime, as text, and the implementations that they describe, best first. */
export interface WrittenFacts {
  readonly facts: Written<KernelFacts>;
  /** Facts that differ in classes of engines; empty: they are the same in all. */
  readonly variants: readonly WrittenVariant[];
  readonly implementations: readonly ImplementationName[];
  /** A GPU that answers calls off the event loop; undefined: the kernel is for none. */
  readonly beside: WrittenBeside | undefined;
  readonly imports: readonly ModuleImport[];
}

export interface FactsOptions extends Pick<TwinPlace, "references" | "workerText" | "isReadable"> {
  /** Whether `info.schedule` has the text, and `info.cacheKey` the key. */
  readonly hasSchedule: boolean;
}

export function factsOf(kernel: CompiledKernel, { hasSchedule, ...options }: FactsOptions): WrittenFacts {
  const { op, parameters, target, numerics, trace, gflops, key, errorBound, constants, tensors, twins } = kernel;
  const place: TwinPlace = {
    ...options,
    signature: { tensors, constants },
    gpuVariants: kernel.gpuVariants ?? [],
  };
  const all = twins.map((twin) => bindingOf(twin).write(twin, place));
  const written = all.filter((it): it is WrittenTwin => it.kind === "written");
  const beside = all.find((it): it is WrittenBeside => it.kind === "beside");
  invariant(written.length > 0 || beside, `${op} has an implementation`);
  const natives = written.flatMap(({ facts }) => facts.native ?? []);
  const absent = all.find((it) => it.kind === "absent");
  const variants = writeVariants(kernel, place, hasSchedule);
  return {
    facts: {
      ...{ op, parameters, target, numerics, gflops },
      errorBound: writtenBound(errorBound),
      cacheKey: hasSchedule ? key : null,
      schedule: hasSchedule ? trace : null,
      tensors: tensors.map(({ name, dtype, shape, role }) => ({ name, dtype, shape, role })),
      constants,
      reason: kernel.reason ?? absent?.reason ?? null,
      ...Object.assign({}, ...written.map(({ facts }) => facts)),
      ...(natives.length > 0 && { native: natives }),
    },
    variants,
    beside,
    implementations: implementationsOf(written, variants),
    imports: written.flatMap(({ imports = [] }) => imports),
  };
}

/** The implementations of the twins. Where one of a kernel's schedules shares its loops, all are opened by what shares: it opens others, too. */
function implementationsOf(
  written: readonly WrittenTwin[],
  variants: readonly WrittenVariant[],
): readonly ImplementationName[] {
  const own = written.map(({ implementation }) => implementation);
  const sharing = [...own, ...variants.map(({ implementation }) => implementation)].includes("wasmOnThreads");
  return [...new Set(own.map((name) => (name === "wasm" && sharing ? "wasmOnThreads" : name)))];
}
