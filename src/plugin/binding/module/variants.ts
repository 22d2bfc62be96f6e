// Schedules for classes of engines in a module: the facts that each has of its own, by the name of its class.

import type { EngineClass } from "../../../compiler/index.ts";
import type { CompiledKernel } from "../../kernel/compiled-kernel.ts";
import type { EngineFacts } from "../../runtime/facts.ts";
import type { Written } from "../literal.ts";
import { bindingOf } from "../twin/index.ts";
import type { TwinPlace, WrittenTwin } from "../twin/twin-binding.ts";
import { writtenBound } from "./written-bound.ts";

export interface WrittenVariant {
  readonly engine: EngineClass;
  readonly facts: Written<EngineFacts>;
  readonly implementation: WrittenTwin["implementation"];
}

export function writeVariants(
  { variants = [] }: CompiledKernel,
  place: TwinPlace,
  hasSchedule: boolean,
): readonly WrittenVariant[] {
  return variants.flatMap(({ engine, target, twin, trace, gflops, key, errorBound }) => {
    const references = { ...place.references, ...place.references.engines?.[engine] };
    const written = bindingOf(twin).write(twin, { ...place, references });
    if (written.kind !== "written") return [];
    const own = {
      target,
      gflops,
      errorBound: writtenBound(errorBound),
      cacheKey: hasSchedule ? key : null,
      schedule: hasSchedule ? trace : null,
    };
    return [{ engine, facts: { ...own, ...written.facts }, implementation: written.implementation }];
  });
}
