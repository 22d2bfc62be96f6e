// A visit of a browser: the kernels that it measures for its classes, one after the other, each a decision like any other.

import {
  DiagnosticError,
  factsOf,
  gpuClassOf,
  gpuKindOf,
  type Target,
  targetForEngine,
  targetForGpu,
} from "../../compiler/index.ts";
import type { VisitingBrowser } from "../kernel/compile-services.ts";
import type { KernelContext } from "../kernel/context/kernel-context.ts";
import { decideSchedule } from "../kernel/decision/decide-schedule.ts";
import type { VisitorFacts } from "./messages.ts";
import { BrowserGone, type PageMachine } from "./page-machine.ts";
import { type InputShelf, pageRunner } from "./page-runner.ts";

/** A kernel that browsers may measure. */
export interface VisitedKernel {
  /** Its import, as people know it. */
  readonly kernel: string;
  /** The target that the import names. */
  readonly target: string;
  /** Opens the kernel for a target of a class, which the browser measures. */
  contextFor(target: string, browser: VisitingBrowser): Promise<KernelContext>;
}

export interface TunedRow {
  readonly kernel: string;
  readonly target: string;
  readonly origin: string;
  readonly gflops: number | null;
  readonly measured: number;
  readonly error: string | null;
}

/** Target that a browser measures on its GPU in place of one that an import names; null: none. */
export const targetOfGpu = (target: string, { gpu }: VisitorFacts): string | null => {
  const ofGpu = gpu && gpuClassOf(gpu.vendor, gpu.isSoftware);
  return ofGpu && targetForGpu({ name: target }, gpuKindOf(ofGpu, gpu.subgroupLanes));
};

/** Targets that a browser measures, on its GPU and in its WASM engine. */
export const targetsOfBrowser = (target: string, facts: VisitorFacts): readonly string[] => {
  const { engine } = facts;
  const names = [targetOfGpu(target, facts), engine && targetForEngine({ name: target }, engine)];
  return names.filter((name) => name !== null);
};

async function tuneOne(
  { kernel, contextFor }: VisitedKernel,
  target: string,
  browser: VisitingBrowser,
): Promise<TunedRow> {
  try {
    const context = await contextFor(target, browser);
    const { origin, measured, measurements } = await decideSchedule(context);
    const gflops = measured && factsOf(context.op).flops / measured.medianNs;
    return { kernel, target, origin, gflops, measured: measurements, error: null };
  } catch (error) {
    if (!(error instanceof DiagnosticError || error instanceof BrowserGone)) throw error;
    return { kernel, target, origin: "failed", gflops: null, measured: 0, error: error.message };
  }
}

export interface Visitor {
  readonly machine: PageMachine;
  readonly shelf: InputShelf;
}

/**
 * Has a browser measure kernels, and tells its page when it is done.
 *
 * @param targetsFor returns the targets for which it measures an import's
 */
export async function tuneVisit(
  { machine, shelf }: Visitor,
  kernels: readonly VisitedKernel[],
  targetsFor: (target: string) => readonly string[],
): Promise<readonly TunedRow[]> {
  const work = kernels.flatMap((kernel) => targetsFor(kernel.target).map((target) => ({ kernel, target })));
  const targets = new Set(work.map(({ target }) => target));
  const browser: VisitingBrowser = {
    name: machine.name,
    measures: ({ name }: Target) => targets.has(name),
    open: () => pageRunner(machine, shelf),
  };
  const rows: TunedRow[] = [];
  for (const { kernel, target } of work) rows.push(await tuneOne(kernel, target, browser));
  const failed = rows.filter(({ error }) => error !== null).length;
  await machine.finish(
    work.length === 0
      ? "No kernel of the project is for this browser: imports with ?tune=webgpu or ?tune=wasm are."
      : `Done: ${rows.length - failed} of ${rows.length} kernels have their schedule. This page can be closed.`,
  );
  return rows;
}
