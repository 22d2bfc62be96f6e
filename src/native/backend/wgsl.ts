// Kernels for WebGPU are compiled by the driver of the machine that runs them: their texts are handed to the measuring process as they
// are, with the place of the package that runs them.

import { pathToFileURL } from "node:url";
import type { WgslSource } from "../../compiler/index.ts";
import { packageFile } from "../machine/package-file.ts";
import { findDawn, missingDawn, takesSoftware } from "../webgpu/dawn.ts";
import type { WgslRunnable } from "../webgpu/loader.ts";
import { whyNoGpu } from "../webgpu/probe.ts";
import type { BuiltRunnable, Executor } from "./executor.ts";

/**
 * @param loader returns the URL of `src/native/webgpu/loader.ts`, bundled to JavaScript
 * @param find returns the file of the package; asked when the first kernel is built
 */
export function wgslExecutorWith(loader: () => string, find: typeof findDawn = findDawn): Executor<WgslSource> {
  let dawn: string | null | undefined;
  /** Answers by the package that was asked, and by whether it may be a CPU that computes. */
  const asked = new Map<string, Promise<string | null>>();
  return {
    name: "wgsl",
    async whyNotHere(project) {
      const file = find({ project });
      if (!file) return missingDawn;
      const key = `${file} ${takesSoftware()}`;
      const answer = asked.get(key) ?? whyNoGpu(file, takesSoftware());
      asked.set(key, answer);
      return answer;
    },
    build(sources) {
      // Browsers run the text without it.
      dawn ??= find();
      return sources.map((source) => built(source, dawn ?? null, loader()));
    },
  };
}

function built({ text, launches, scratch }: WgslSource, dawn: string | null, module: string): BuiltRunnable {
  const runnable: WgslRunnable = { kind: "wgsl", module, dawn, text, launches, scratch };
  return { kind: "built", runnable };
}

/** The executor of this package. */
export const wgslExecutor = wgslExecutorWith(() => pathToFileURL(packageFile("dist/native/webgpu-loader.js")).href);
