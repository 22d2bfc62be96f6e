// Decisions for targets of ARM as a Graviton 3 would have tuned them: another schedule than the predicted one, with a time that nobody has
// measured. App and target → what a pack or a remote store holds.

import { join } from "node:path";
import { factsOf, type TargetName } from "../../src/compiler/index.ts";
import { kernelContext } from "../../src/plugin/kernel/context/kernel-context.ts";
import type { KernelRequest } from "../../src/plugin/kernel/kernel-request.ts";
import { keyFields, tunedForOf } from "../../src/plugin/kernel/schedule.ts";
import { scheduleOf, spaceOf } from "../../src/plugin/kernel/source/schedule-source.ts";
import { resolveOptions } from "../../src/plugin/options/options.ts";
import { scheduleKey, targetClass } from "../../src/tuner/data/key.ts";
import { drawPoint, searchSpace } from "../../src/tuner/search/point/search-space.ts";
import type { SharedDecision } from "../../src/tuner/store/exchange.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { buildTunings } from "./compile-app.ts";

const core = "neoverse-v1";
const caches = { l1Bytes: 65_536, l2Bytes: 2 ** 20, l3Bytes: 2 ** 25 };
const medianNs = 10_000;

/** @param file the operator's, below `root` */
export async function armDecision(root: string, target: TargetName, file = "src/gemm.op.ts"): Promise<SharedDecision> {
  const request: KernelRequest = {
    opFile: join(root, file),
    ...{
      target,
      parameters: {},
      fallback: "wasm",
      threads: 1,
      numerics: "fast",
      mode: "tune",
      budget: { seconds: 1, trials: 1 },
    },
  };
  const options = resolveOptions({ root, cacheDir: "store-of-arm" }, root, {});
  const log = { debug: () => {}, info: () => {}, warn: () => {} };
  const { signal } = new AbortController();
  const context = await kernelContext(request, { options, log, signal, tunings: buildTunings() });
  const task = { ...context.task, target: { ...context.task.target, ...caches, core } as const };
  const space = spaceOf(task);
  const searched = searchSpace(space);
  const point = drawPoint(searched, searched.templates[0]!, createRng(7), {});
  const { candidate, source } = scheduleOf(task, space, point!.candidate);
  return {
    key: scheduleKey(keyFields(task)),
    ...{ candidate, source },
    measured: {
      medianNs,
      gflops: factsOf(task.op).flops / medianNs,
      machine: targetClass(task.target),
      toolchain: "gcc 13.2.0 aarch64-linux-gnu 0123abcd",
      trials: 99,
    },
    tunedFor: tunedForOf(context, { task, candidate, source }),
  };
}
