// Counts the dispatches that anybody records in this program, a library or a kernel of ours.

export interface Passes {
  readonly GPUComputePassEncoder: {
    readonly prototype: { dispatchWorkgroups(x: number, y?: number, z?: number): void };
  };
}

/** Returns how many there were since it was last called. */
export function countDispatches({ GPUComputePassEncoder: { prototype } }: Passes): () => number {
  let count = 0;
  const dispatch = prototype.dispatchWorkgroups;
  prototype.dispatchWorkgroups = function counted(x, y, z) {
    count += 1;
    dispatch.call(this, x, y, z);
  };
  return () => {
    const counted = count;
    count = 0;
    return counted;
  };
}
