// A compiled kernel and the places of its binaries → what the emitted module says of it, for the runtime.

import { invariant } from "../../../compiler/index.ts";
import type { CompiledKernel } from "../../kernel/compiled-kernel.ts";
import type { KernelFacts } from "../../runtime/facts.ts";
import type { Written } from "../literal.ts";
import { bindingOf } from "../twin/index.ts";
import type { ImplementationName, ModuleImport, TwinPlace, WrittenTwin } from "../twin/twin-binding.ts";

/** Facts for the runtime, as text, and the implementations that they describe, best first. */
export interface WrittenFacts {
  readonly facts: Written<KernelFacts>;
  readonly implementations: readonly ImplementationName[];
  readonly imports: readonly ModuleImport[];
}

export interface FactsOptions extends Pick<TwinPlace, "references" | "workerText"> {
  /** Whether `info.schedule` has the text, and `info.cacheKey` the key. */
  readonly hasSchedule: boolean;
}

export function factsOf(kernel: CompiledKernel, { hasSchedule, ...options }: FactsOptions): WrittenFacts {
  const { op, parameters, target, numerics, trace, gflops, key, errorBound, constants, tensors, twins } = kernel;
  const place: TwinPlace = { ...options, signature: { tensors, constants } };
  const all = twins.map((twin) => bindingOf(twin).write(twin, place));
  const written = all.filter((it): it is WrittenTwin => it.kind === "written");
  invariant(written.length > 0, `${op} has an implementation`);
  const natives = written.flatMap(({ facts }) => facts.native ?? []);
  const absent = all.find((it) => it.kind === "absent");
  return {
    facts: {
      ...{ op, parameters, target, numerics, gflops, errorBound },
      cacheKey: hasSchedule ? key : null,
      schedule: hasSchedule ? trace : null,
      tensors: tensors.map(({ name, dtype, shape, role }) => ({ name, dtype, shape, role })),
      constants,
      reason: kernel.reason ?? absent?.reason ?? null,
      ...Object.assign({}, ...written.map(({ facts }) => facts)),
      ...(natives.length > 0 && { native: natives }),
    },
    implementations: [...new Set(written.map(({ implementation }) => implementation))],
    imports: written.flatMap(({ imports = [] }) => imports),
  };
}
