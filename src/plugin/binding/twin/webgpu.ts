// Code for WebGPU in a module: its texts and launches, for the calls that a visitor's GPU may answer.

import { lanesFor, shortWgsl, type WgslSource } from "../../../compiler/index.ts";
import type { GpuVariant } from "../../kernel/compiled-kernel.ts";
import type { WebgpuCode, WebgpuTwin } from "../../kernel/twin.ts";
import type { GpuCode, GpuSchedule } from "../../runtime/webgpu/gpu-facts.ts";
import type { Expression, Written } from "../literal.ts";
import { type KernelSignature, resultsOf, sourcesOf, takenBy } from "../parameters.ts";
import type { TwinBinding } from "./twin-binding.ts";

export const webgpuBinding: TwinBinding<WebgpuTwin> = {
  runsInBrowsers: true,
  assets: () => [],
  write: ({ code }, { signature, gpuVariants, isReadable }) => ({
    kind: "beside",
    create: "createGpuKernel",
    gpu: code && { schedules: schedulesOf(code, gpuVariants, signature, isReadable) },
  }),
};

type WrittenSchedule = Exclude<Written<GpuSchedule>, Expression>;

/**
 * All schedules of a kernel, the one for all first. Classes of GPUs whose code is the same have one schedule.
 *
 * @param isReadable whether texts are as the generator prints them; else they are as short as they can be
 */
function schedulesOf(
  own: WebgpuCode,
  variants: readonly GpuVariant[],
  signature: KernelSignature,
  isReadable: boolean,
): readonly [WrittenSchedule, ...WrittenSchedule[]] {
  const codes = new Map([own, ...variants.map(({ code }) => code)].map((code) => [code.source.text, code]));
  const [first, ...others] = [...codes].map(([text, code]): WrittenSchedule => {
    const gpus = variants.filter((it) => it.code.source.text === text).map(({ gpu }) => gpu);
    return { gpus: gpus.length > 0 ? gpus : undefined, ...scheduleOf(code, signature, isReadable) };
  });
  return [first!, ...others];
}

const scheduleOf = (
  { source, prepare, split }: WebgpuCode,
  signature: KernelSignature,
  isReadable: boolean,
): WrittenSchedule => ({
  lanes: lanesFor([source, ...(prepare ? [prepare] : [])]),
  code: [source, ...(prepare ? [prepare] : [])].map((code) => codeOf(isReadable ? code : shortWgsl(code))),
  sources: sourcesOf(split?.run ?? signature.tensors, signature),
  prepare: split ? { taken: takenBy(split.prepare, signature), results: resultsOf(split.prepare) } : undefined,
});

const codeOf = ({ text, launches, scratch }: WgslSource): Written<GpuCode> => ({
  text,
  launches,
  scratch: scratch.map(({ bytes }) => bytes),
});
