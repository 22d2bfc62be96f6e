// Classes of GPUs behind WebGPU, by who made them: a page learns no more of its adapter, and schedules differ most between makers. Any GPU
// runs the code of any class; which one is fastest is what differs.

/** "software": adapters that compute on the CPU, which no kernel is shipped for. */
export const gpuClasses = ["apple", "nvidia", "amd", "intel", "qualcomm", "arm", "software"] as const;
export type GpuClass = (typeof gpuClasses)[number];

/** Returns the class of an adapter, by the vendor that it names; null: it is of none. */
export const gpuClassOf = (vendor: string, isSoftware: boolean): GpuClass | null =>
  isSoftware ? "software" : (gpuClasses.find((gpu) => gpu !== "software" && gpu === vendor.toLowerCase()) ?? null);
