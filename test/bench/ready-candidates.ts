// Candidates of a task as a runner takes them, for benches that hold some against each other after the tuning.

import { detectMachine } from "../../src/native/machine/machine.ts";
import type { Runnable } from "../../src/native/runner/protocol.ts";
import { toolchainFor } from "../../src/native/toolchain/detect.ts";
import type { Candidate } from "../../src/tuner/data/space.ts";
import type { TuningTask } from "../../src/tuner/data/task.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { measurable } from "../../src/tuner/workbench/measurable.ts";
import { createRunnableBuilder, withoutCompiler } from "../../src/tuner/workbench/runnable-builder.ts";

/** Builds the candidates, in their order. Throws where one cannot be built, as it was built before. */
export async function readyCandidates(
  task: TuningTask,
  candidates: readonly Candidate[],
  directory: string,
): Promise<readonly Runnable[]> {
  const space = generateSpace(task);
  const sources = candidates.map((candidate) => measurable(task, space, candidate));
  const toolchain = await toolchainFor(task.target);
  const builder = toolchain && createRunnableBuilder({ toolchain, directory });
  const built = builder
    ? await builder.build(sources, detectMachine().cores)
    : await Promise.all(sources.map((source) => withoutCompiler(source, { directory })));
  await builder?.close();
  return built.map((one) => {
    if (one.kind !== "ready") throw new Error(`it was built before: ${one.reason}`);
    return one.candidate;
  });
}
