// Classes of GPUs behind WebGPU, by who made them: a page learns no more of its adapter, and schedules differ most between makers. Any GPU
// runs the code of any class; which one is fastest is what differs.

/** "software": adapters that compute on the CPU, which no kernel is shipped for. */
export const gpuClasses = ["apple", "nvidia", "amd", "intel", "qualcomm", "arm", "software"] as const;
export type GpuClass = (typeof gpuClasses)[number];

/** A class, or those of its GPUs whose subgroups are as large as is common there: their kernels may have shuffles. */
export type GpuKind = GpuClass | `${GpuClass}-subgroups`;

/** Returns the class of an adapter, by the vendor that it names; null: it is of none. */
export const gpuClassOf = (vendor: string, isSoftware: boolean): GpuClass | null =>
  isSoftware ? "software" : (gpuClasses.find((gpu) => gpu !== "software" && gpu === vendor.toLowerCase()) ?? null);

/** Threads of the smallest subgroups that GPUs of a maker form today, as far as it tells. An adapter with smaller ones counts as one without. */
export const leastLanes: Readonly<Record<GpuClass, number>> = {
  apple: 32,
  nvidia: 32,
  amd: 32,
  intel: 8,
  qualcomm: 32,
  arm: 16,
  software: 4,
};

/**
 * Returns the kind of an adapter.
 *
 * @param lanes threads of its smallest subgroups; 0: it has none
 */
export const gpuKindOf = (gpu: GpuClass, lanes: number): GpuKind =>
  lanes >= leastLanes[gpu] ? `${gpu}-subgroups` : gpu;
