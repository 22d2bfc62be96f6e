// Code for WebGPU in a module: its text and launches, for the calls that a visitor's GPU may answer.

import type { WgslSource } from "../../../compiler/index.ts";
import type { WebgpuTwin } from "../../kernel/twin.ts";
import type { GpuCode } from "../../runtime/webgpu/gpu-facts.ts";
import type { Written } from "../literal.ts";
import { resultsOf, sourcesOf, takenBy } from "../parameters.ts";
import type { TwinBinding } from "./twin-binding.ts";

export const webgpuBinding: TwinBinding<WebgpuTwin> = {
  runsInBrowsers: true,
  assets: () => [],
  write({ code }, { signature }) {
    if (!code) return { kind: "beside", facts: null };
    const { source, prepare, split } = code;
    return {
      kind: "beside",
      facts: {
        code: [codeOf(source), ...(prepare ? [codeOf(prepare)] : [])],
        features: source.features,
        sources: sourcesOf(split?.run ?? signature.tensors, signature),
        prepare: split ? { taken: takenBy(split.prepare, signature), results: resultsOf(split.prepare) } : undefined,
      },
    };
  },
};

const codeOf = ({ text, launches, scratch }: WgslSource): Written<GpuCode> => ({
  text,
  launches,
  scratch: scratch.map(({ bytes }) => bytes),
});
