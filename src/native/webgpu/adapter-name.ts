// What an adapter of WebGPU calls itself, and whether it computes on the CPU, for programs in pages and for the measuring process.

type Info = Pick<GPUAdapterInfo, "vendor" | "architecture" | "device" | "description"> & {
  readonly isFallbackAdapter?: boolean;
};

/** "nvidia ampere", "apple metal-3", "google swiftshader": browsers tell no more. */
export const adapterName = ({ vendor, architecture, description }: Info): string =>
  [vendor, architecture || description].filter(Boolean).join(" ") || "nameless";

/** Says whether an adapter computes on the CPU, by the words in its names. */
export const isSoftware = ({ vendor, architecture, device, description, isFallbackAdapter = false }: Info): boolean =>
  isFallbackAdapter ||
  /swiftshader|lavapipe|llvmpipe|\bllvm\b|basic render/i.test(`${vendor} ${architecture} ${device} ${description}`);
