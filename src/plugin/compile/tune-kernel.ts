// Tunes one kernel: a workbench with the right answers, the search, the winner checked once more with every pass verified.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { factsOf } from "../../compiler/index.ts";
import { nowMs } from "../../native/clock.ts";
import { openDatabase } from "../../tuner/record/database.ts";
import { referenceTask } from "../../tuner/reference.ts";
import { strategies } from "../../tuner/search/strategies.ts";
import { generateSpace } from "../../tuner/space/generate.ts";
import { targetClass } from "../../tuner/store/key.ts";
import { tune } from "../../tuner/tune.ts";
import { createWorkbench } from "../../tuner/workbench.ts";
import { type Decision, emptySpace, sourceDigest } from "./decide-schedule.ts";
import { type KernelContext, refuse } from "./kernel-context.ts";

/** One seed for all: a build is to be repeatable. */
const seed = 1;

export async function tuneKernel(context: KernelContext): Promise<Decision> {
  const { task, services, request, key, lockName } = context;
  const { cacheDir } = services.options;
  const space = generateSpace(task);
  if (space.templates.length === 0) throw emptySpace(context, space);
  const directory = await mkdtemp(join(tmpdir(), "unplugin-kernel-"));
  const toolchain = task.target.codegen === "c" ? await context.toolchain() : null;
  const flops = factsOf(task.op).flops;
  const workbench = createWorkbench({
    task: referenceTask(task.op),
    toolchain,
    directory,
    signal: services.signal,
    jobs: context.machine.cores,
  });
  try {
    const result = await tune(task, space, {
      budget: request.budget,
      strategy: strategies.default,
      seed,
      taskKey: key,
      database: openDatabase(join(cacheDir, "records.jsonl")),
      workbench,
      clock: nowMs,
      signal: services.signal,
      onProgress: (progress) => services.onProgress?.(lockName, flops, progress),
    });
    if (!result) throw refuse("tune.nothing-ran", `${lockName}: no candidate could be built and measured`, null);
    const wrong = result.failures.filter(({ measurement }) => measurement.kind === "wrong-result");
    if (wrong.length > 0) {
      services.log.warn(
        `${lockName}: ${wrong.length} candidates computed wrong results; that is a bug of unplugin-kernel`,
      );
    }
    const { best, medianNs, measured, recorded } = result;
    return {
      origin: "tuned",
      task,
      candidate: best,
      source: sourceDigest(task, space, best),
      measured: {
        medianNs,
        gflops: flops / medianNs,
        machine: targetClass(task.target),
        toolchain: workbench.toolchain,
        trials: measured + recorded,
      },
      measurements: measured,
      compilerRuns: workbench.compilerRuns(),
    };
  } finally {
    await workbench.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}
