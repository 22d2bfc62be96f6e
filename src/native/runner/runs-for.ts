// Computes how many runs make a sample.

/** Most runs in one sample: bounds a batch of kernels that take no time at all. */
const maxRuns = 1e6;

/** Returns how many runs of `runNs` fill `sampleNs`; at least one. */
export const runsFor = (runNs: number, sampleNs: number): number =>
  Math.min(maxRuns, Math.max(1, Math.ceil(sampleNs / Math.max(runNs, 1))));
