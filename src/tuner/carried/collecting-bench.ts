// Takes the place of a bench that measures: candidates are compiled, and kept for another machine. A candidate that cannot be compiled has failed here.

import { generatorOf, once } from "../../compiler/index.ts";
import type { Runnable, RunTask } from "../../native/runner/protocol.ts";
import type { RaceVerdict } from "../data/measurement.ts";
import type { Candidate } from "../data/space.ts";
import type { TuningTask } from "../data/task.ts";
import { type GeneratedSpace, generateSpace } from "../space/generate.ts";
import { ahead } from "../support/ahead.ts";
import { forever, noTime } from "../support/time-limit.ts";
import { measurable } from "../workbench/measurable.ts";
import { isSource, type ReadyRunnable, withoutCompiler } from "../workbench/runnable-builder.ts";
import type { Workbench } from "../workbench/workbench.ts";

/** Most candidates of a kernel that are carried together. */
const mostCarried = 24;

/** Candidates that are given to the compiler at once: nothing is measured meanwhile. */
const mostAtOnce = 8;

export interface Collected {
  readonly candidate: Candidate;
  readonly code: Runnable;
}

/** A tuning that collects. */
export interface Opened {
  readonly task: TuningTask;
  readonly space: () => GeneratedSpace;
  /** Inputs and right answers. */
  readonly run: RunTask;
  /** Identity of the compiler. */
  readonly compiler: string;
}

export interface Collector {
  /** Puts itself before the workbench of this machine, which goes on checking what is no candidate. */
  open(local: Workbench, task: TuningTask, run: RunTask): Workbench;
  /** Compiles one more, and puts it first: times of the others are compared with its time. */
  lead(candidate: Candidate): Promise<void>;
  collected(): readonly Collected[];
  /** The tuning that the candidates belong to; null: nothing was tuned. */
  opened(): Opened | null;
}

/** @param measuredBy identity of what has measured candidates of the task before; null: nothing has */
export function createCollector(measuredBy: string | null, directory: string, most = mostCarried): Collector {
  const kept: Collected[] = [];
  let opened: Opened | null = null;

  async function built({ task, space }: Opened, candidate: Candidate, leftMs = forever): Promise<ReadyRunnable> {
    const source = measurable(task, space(), candidate, leftMs);
    if (isSource(source) && generatorOf(source).needsToolchain) return noTime("kernels of this CPU are not carried");
    return withoutCompiler(source, { directory });
  }

  return {
    open(local, task, run) {
      const own: Opened = { task, space: once(() => generateSpace(task)), run, compiler: local.toolchain };
      opened = own;
      return {
        ...local,
        toolchain: measuredBy ?? local.toolchain,
        byDecisions: {
          async *measure(candidates, leftMs) {
            const compiled = ahead(candidates, mostAtOnce, async (candidate) => ({
              candidate,
              one: kept.length < most ? await built(own, candidate, leftMs) : elsewhere,
            }));
            for await (const { candidate, one } of compiled) {
              if (one.kind === "ready" && kept.length < most) kept.push({ candidate, code: one.candidate });
              yield one.kind === "ready" ? elsewhere : one;
            }
            return undefined;
          },
          race: async (candidates): Promise<RaceVerdict> => ({
            winner: 0,
            runnerUp: candidates.length > 1 ? 1 : null,
            timing: null,
          }),
        },
      };
    },
    async lead(candidate) {
      const one = opened && (await built(opened, candidate));
      if (one?.kind === "ready") kept.unshift({ candidate, code: one.candidate });
    },
    collected: () => kept,
    opened: () => opened,
  };
}

const elsewhere = noTime("it is measured on another machine");
