// Calls of a kernel on memory of a device that the caller has: which tensors they take, by their names and in their order.

import type { ModuleContext, RuntimeTensor } from "../implementation.ts";
import type { Layer } from "./layer.ts";

export interface CallsOnDevice<Queue> {
  /** @throws TypeError if calls take no such tensor */
  tensorNamed(name: string): RuntimeTensor;
  /** Adds a run to a queue. @throws TypeError, RangeError if the buffers are not those of the tensors */
  encode(queue: Queue, buffers: readonly unknown[]): void;
}

/**
 * @param hasConstants whether the layer has its constants: calls leave them out
 * @param memoryFor checks what a caller gives for a tensor
 */
export function callsOnDevice<Memory, Queue>(
  { facts: { op }, tensors, constants, others }: ModuleContext,
  layer: Layer<Memory, Queue>,
  hasConstants: boolean,
  memoryFor: (given: unknown, tensor: RuntimeTensor) => Memory,
): CallsOnDevice<Queue> {
  const taken = hasConstants ? others : tensors;
  const names = (): string => taken.map(({ name }) => name).join(", ");
  return {
    tensorNamed(name) {
      const tensor = taken.find((it) => it.name === name);
      if (tensor) return tensor;
      throw new TypeError(`${op} has no tensor ${name}: ${names()}`);
    },
    encode(queue, buffers) {
      if (buffers.length !== taken.length)
        throw new TypeError(`${op} takes buffers of ${names()}; got ${buffers.length}`);
      const all = taken.map((tensor, at) => memoryFor(buffers[at], tensor));
      const some = (wanted: readonly RuntimeTensor[]): readonly Memory[] =>
        wanted.map((tensor) => all[taken.indexOf(tensor)]!);
      if (!hasConstants && constants.length > 0) layer.setMemory(some(constants), queue);
      layer.encode(queue, some(others));
    },
  };
}
