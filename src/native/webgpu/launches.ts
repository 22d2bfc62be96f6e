// The launches of one kernel on a device: pipelines with their arrays bound, dispatched in one pass, and timed by timestamps where the
// adapter has them. Timestamps that are too coarse for the work are no times, so the wall clock tells then.

import type { WgslSource } from "../../compiler/index.ts";
import { type GpuDevice, pipelinesOf, withErrors } from "./device.ts";

export interface LaunchedKernel {
  /** Runs all launches so many times, and resolves when the device is done, to the nanoseconds that it took. */
  run(count: number): Promise<number>;
}

/** @param buffers those of the parameters in order, then those of scratch memory */
export async function launchedKernel(
  gpu: GpuDevice,
  source: Pick<WgslSource, "text" | "launches">,
  buffers: readonly GPUBuffer[],
): Promise<LaunchedKernel> {
  const { device } = gpu;
  const pipelines = await pipelinesOf(device, source);
  const bound = await withErrors(device, () =>
    source.launches.map(({ arrays, grid }, at) => {
      const pipeline = pipelines[at]!;
      const entries = arrays.map((binding) => ({ binding, resource: { buffer: buffers[binding]! } }));
      return { pipeline, grid, group: device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }) };
    }),
  );
  const clock = gpu.hasTimestamps ? timestamps(gpu) : null;
  const record = (count: number): GPUCommandBuffer => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass(clock ? { timestampWrites: clock.writes } : {});
    for (let run = 0; run < count; run++) {
      for (const { pipeline, grid, group } of bound) {
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(...grid);
      }
    }
    pass.end();
    clock?.resolve(encoder);
    return encoder.finish();
  };
  return {
    run: (count) =>
      withErrors(device, async () => {
        const commands = record(count);
        const begin = performance.now();
        device.queue.submit([commands]);
        await device.queue.onSubmittedWorkDone();
        const wall = (performance.now() - begin) * nanosecondsPerMs;
        const ns = await clock?.read();
        return ns !== undefined && ns > 0 ? ns : wall;
      }),
  };
}

const nanosecondsPerMs = 1e6;

interface Clock {
  readonly writes: GPUComputePassTimestampWrites;
  resolve(encoder: GPUCommandEncoder): void;
  /** Nanoseconds between the two last timestamps. */
  read(): Promise<number>;
}

function timestamps({ device, dawn }: GpuDevice): Clock {
  const { COPY_SRC, COPY_DST, MAP_READ, QUERY_RESOLVE } = dawn.globals.GPUBufferUsage;
  const querySet = device.createQuerySet({ type: "timestamp", count: 2 });
  const bytes = 2 * BigUint64Array.BYTES_PER_ELEMENT;
  const resolved = device.createBuffer({ size: bytes, usage: QUERY_RESOLVE | COPY_SRC });
  const back = device.createBuffer({ size: bytes, usage: COPY_DST | MAP_READ });
  return {
    writes: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
    resolve(encoder) {
      encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, back, 0, bytes);
    },
    async read() {
      await back.mapAsync(dawn.globals.GPUMapMode.READ);
      const [begin, end] = new BigUint64Array(back.getMappedRange());
      const ns = Number(end! - begin!);
      back.unmap();
      return ns;
    },
  };
}
