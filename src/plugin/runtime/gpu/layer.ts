// A kernel with its constants on one device of any kind: what a run takes is found by where each parameter comes from.

import type { DType } from "../../../compiler/index.ts";
import type { FunctionFacts, Source } from "../facts.ts";
import type { Arrays, ModuleContext } from "../implementation.ts";

/** A function of a kernel on a device. */
export interface DeviceFunction<Memory, Queue> {
  /** Adds one run to a queue. @param memory that of the parameters, in order */
  encode(queue: Queue, memory: readonly Memory[]): void;
  destroy(): void;
}

interface Named {
  readonly name: string;
  readonly dtype: DType;
  readonly length: number;
}

/** Services of a device that a layer needs. */
export interface LayerDevice<Memory, Queue> {
  alloc(tensor: Named): Memory;
  upload(to: Memory, from: Arrays[number]): void;
  free(memory: Memory): void;
  /** Has the device run at once what is added to a queue. */
  submit(add: (queue: Queue) => void): void;
}

export interface Layer<Memory, Queue> {
  /** Copies constants to the device, and computes what is prepared of them. */
  setArrays(constants: Arrays): void;
  /** Takes constants that are there already. They are prepared in the queue. */
  setMemory(constants: readonly Memory[], queue: Queue): void;
  /** Adds a run to a queue. @param others memory of the tensors that are no constants, in order */
  encode(queue: Queue, others: readonly Memory[]): void;
  destroy(): void;
}

/** @param functions the kernel, then what prepares constants, if anything does */
export function createLayer<Memory, Queue>(
  { tensors, constants }: ModuleContext,
  { prepare, sources = tensors.map((_, at): Source => ["other", at]) }: Pick<FunctionFacts, "prepare" | "sources">,
  [run, preparation]: readonly DeviceFunction<Memory, Queue>[],
  device: LayerDevice<Memory, Queue>,
): Layer<Memory, Queue> {
  const made = (prepare?.results ?? []).map((result, at) => device.alloc({ ...result, name: `prepared ${at}` }));
  const own: Memory[] = [];
  let known: readonly Memory[] = [];
  const prepareIn = (queue: Queue): void => {
    if (prepare) preparation!.encode(queue, [...prepare.taken.map((at) => known[at]!), ...made]);
  };
  return {
    setArrays(values) {
      // One that is too large leaves those before it for the next try.
      for (const tensor of constants.slice(own.length)) own.push(device.alloc(tensor));
      known = own;
      for (const [at, value] of values.entries()) device.upload(own[at]!, value);
      if (prepare) device.submit(prepareIn);
    },
    setMemory(values, queue) {
      known = values;
      prepareIn(queue);
    },
    encode(queue, others) {
      const from = { other: others, constant: known, result: made };
      run!.encode(
        queue,
        sources.map(([kind, at]) => from[kind][at]!),
      );
    },
    destroy() {
      run!.destroy();
      preparation?.destroy();
      for (const memory of [...made, ...own]) device.free(memory);
    },
  };
}
