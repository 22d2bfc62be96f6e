// WGSL that nothing runs in this build, compiled by Dawn's null back end where the project has npm's `webgpu`: a text that a browser would
// refuse is found here. What was found right once is in the store, so later builds start no process for it.

import { pathToFileURL } from "node:url";
import type { WgslSource } from "../../../compiler/index.ts";
import { packageFile } from "../../../native/machine/package-file.ts";
import { findDawn, versionOfDawn } from "../../../native/webgpu/dawn.ts";
import type { WgslText } from "../../../native/webgpu/text-loader.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import { artifactKey, scheduleKey } from "../../../tuner/data/key.ts";
import type { ScheduleFacts } from "../built-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { keyFields } from "../schedule.ts";
import { keepBlobs, storedBlobs } from "../stored/artifact-store.ts";

/** The task of a kernel that takes nothing and computes nothing. */
const noAnswers = { task: { parameters: [], inputs: [], expected: [] } };

/**
 * Compiles texts of one kernel.
 *
 * @returns "Dawn refuses its WGSL: line 3, column 5: …"; null: they are valid, or there is no Dawn to say so
 */
export async function whyInvalid(
  context: KernelContext,
  { task, candidate, source }: Decision,
  texts: readonly WgslSource[],
  facts: ScheduleFacts,
): Promise<string | null> {
  const { runsFresh, services } = context;
  const dawn = runsFresh ? findDawn({ project: services.options.root }) : null;
  if (dawn === null) return null;
  const toolchain = { name: "dawn", version: versionOfDawn(dawn), triple: null, options: [] };
  const key = artifactKey({ schedule: scheduleKey(keyFields(task)), candidate, source, toolchain });
  if (await storedBlobs(context, key)) return null;
  const module = pathToFileURL(packageFile("dist/native/webgpu-text-loader.js")).href;
  const runnables = texts.map(({ text, launches }): WgslText => ({ kind: "wgsl-text", module, dawn, text, launches }));
  const { outcomesOn } = await import("../../../tuner/workbench/outcomes-on.ts");
  const outcomes = await outcomesOn(await services.tunings.checks.open(), noAnswers, runnables);
  const wrong = outcomes.find(({ kind }) => kind !== "ok");
  if (wrong?.kind === "build-failed") return `Dawn refuses its WGSL: ${wrong.reason.replace(/^Error: /, "")}`;
  // A Dawn that crashes or hangs says nothing of a text.
  if (wrong) services.log.debug(`${context.lockName}: Dawn did not look at its WGSL: ${wrong.kind}`);
  else await keepBlobs(context, key, { blobs: {}, facts });
  return null;
}
