// What an adapter of WebGPU calls itself, and whether it computes on the CPU, for programs in pages and for the measuring process.

import { subgroupsFeature } from "../../compiler/index.ts";

type Info = Pick<GPUAdapterInfo, "vendor" | "architecture" | "device" | "description"> & {
  readonly isFallbackAdapter?: boolean;
};

/** "nvidia ampere", "apple metal-3", "google swiftshader": browsers tell no more. */
export const adapterName = ({ vendor, architecture, description }: Info): string =>
  [vendor, architecture || description].filter(Boolean).join(" ") || "nameless";

/** An adapter, or a device, by what tells of its subgroups. */
interface WithSubgroups {
  readonly features: ReadonlySet<string>;
  readonly info?: object;
  readonly adapterInfo?: object;
}

/** Threads of the smallest subgroups of an adapter, or of a device that was asked for them; 0: there are none. */
export function subgroupLanesOf({ features, info, adapterInfo }: WithSubgroups): number {
  const { subgroupMinSize = 0 } = (info ?? adapterInfo ?? {}) as { readonly subgroupMinSize?: number };
  return features.has(subgroupsFeature) ? subgroupMinSize : 0;
}

/** Says whether an adapter computes on the CPU, by the words in its names. */
export const isSoftware = ({ vendor, architecture, device, description, isFallbackAdapter = false }: Info): boolean =>
  isFallbackAdapter ||
  /swiftshader|lavapipe|llvmpipe|\bllvm\b|basic render/i.test(`${vendor} ${architecture} ${device} ${description}`);
