// The kernels of a plugin instance, for the report that is written at the end of each of its builds, if one is asked for.

import type { CompiledKernel, Origin } from "../kernel/compiled-kernel.ts";
import type { Log } from "../log/log.ts";
import type { ResolvedOptions } from "../options/options.ts";
import type { Reported } from "../report/collect-report.ts";
import type { ParsedRequest } from "../request/request.ts";
import type { Topic } from "../support/say-once.ts";

export interface BuildReport {
  add(request: ParsedRequest, kernel: CompiledKernel): void;
  /** Writes the report of all kernels so far: the environments of a build come one after the other. */
  write(options: ResolvedOptions, log: Log, told: Set<Topic>): Promise<void>;
}

export function createBuildReport(): BuildReport {
  const kernels = new Map<string, Reported>();
  return {
    add(request, { origin, variants = [], elsewhere = [] }) {
      const id = request.path + request.query;
      const before = kernels.get(id);
      // Another environment of the build that tuned a kernel finds it in the lock.
      const first = (now: Origin, earlier: Origin | null | undefined): Origin =>
        now === "lock" ? (earlier ?? now) : now;
      const others = [...variants, ...elsewhere].map(
        (it) => [it.target, first(it.origin, before?.others?.get(it.target))] as const,
      );
      kernels.set(id, { request, built: first(origin, before?.built), others: new Map(others) });
    },
    async write(options, log, told) {
      if (!options.report || kernels.size === 0) return;
      const { writeReport } = await import("../report/write-report.ts");
      await writeReport(options.report, [...kernels.values()], { options, log, told });
    },
  };
}
