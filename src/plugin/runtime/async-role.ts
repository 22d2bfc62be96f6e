// Role of a worker that computes whole calls: it gets a kernel once, its constants when they change, and arrays for
// each call.

import type { Arrays } from "./implementation.ts";
import { type KernelParts, type OpenKernel, type OpenModule, openKernel } from "./open-kernel.ts";

/** A call, or a kernel that is not needed any more. */
export type AsyncMessage =
  | {
      readonly id: number;
      readonly kernel: number;
      readonly inputs: Arrays;
      /** Modules of the kernel, sent if the worker does not know it. */
      readonly parts?: KernelParts;
      readonly constants?: Arrays;
      /** Whether no other constants will follow. */
      readonly isLast?: boolean;
    }
  | { readonly forget: number };

export interface AsyncReply {
  readonly id: number;
  /** Null: the worker ended before it was ready. */
  readonly outputs?: Arrays | null;
  readonly error?: string;
}

type Reply = (reply: AsyncReply, transfer?: Transferable[]) => void;

/** Returns what hears the messages. */
export function asyncRole(reply: Reply, openModule: OpenModule): (message: AsyncMessage) => void {
  const kernels = new Map<number, OpenKernel & { readonly places: KernelParts["run"] }>();
  const kernelOf = (id: number, parts: KernelParts | undefined) => {
    if (parts) kernels.set(id, { ...openKernel(parts, openModule), places: parts.run });
    return kernels.get(id)!;
  };
  return (message) => {
    if ("forget" in message) return void kernels.delete(message.forget);
    const { id, inputs, parts, constants, isLast = false } = message;
    try {
      const { places, views, set, run } = kernelOf(message.kernel, parts);
      if (constants) set(constants, isLast);
      for (const [at, view] of places.inputs.entries()) views[view]!.set(inputs[at]!);
      run();
      const outputs = places.outputs.map((view) => views[view]!.slice());
      reply(
        { id, outputs },
        outputs.map(({ buffer }) => buffer),
      );
    } catch (error) {
      reply({ id, error: String(error) });
    }
  };
}
