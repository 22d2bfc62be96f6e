// The program in the making: operations in their order, the current copy of each buffer, and room for what is computed on the way.

import type { MemoryBuffer, Operation, Scratchpad } from "../isa/instruction.ts";
import { type Machine, side } from "../machine.ts";
import type { Placement } from "./place-buffers.ts";
import { Refusal } from "./refusal.ts";

export interface Emitter {
  readonly machine: Machine;
  readonly operations: readonly Operation[];
  /** First element of the sums that no buffer has. */
  readonly freeSums: number;
  emit(operation: Operation): void;
  /** The buffer in memory; null: it lies in a scratchpad. */
  memory(name: string): MemoryBuffer | null;
  /** Where the current copy of a buffer begins; null: it lies in memory. */
  place(name: string): { readonly scratchpad: Scratchpad; readonly address: number } | null;
  /** Goes on to the next copy of a buffer, which is about to be filled. */
  advance(name: string): void;
  /** Calls with a function that gives room in the sums, which is free again at the end. */
  withRoom(call: (room: (elements: number) => number) => void): void;
}

export function createEmitter({ memory, scratchpads, freeSums }: Placement, machine: Machine): Emitter {
  const operations: Operation[] = [];
  const current = new Map<string, number>();
  return {
    machine,
    operations,
    freeSums,
    emit(operation) {
      operations.push(operation);
      if (operations.length <= machine.instructions) return;
      throw new Refusal(`the program has more than ${machine.instructions} instructions: larger tiles make fewer`);
    },
    memory: (name) => memory.find((it) => it.name === name) ?? null,
    place(name) {
      const place = scratchpads.get(name);
      if (!place) return null;
      const copy = (current.get(name) ?? 0) % place.copies.length;
      return { scratchpad: place.scratchpad, address: place.copies[copy] ?? 0 };
    },
    advance(name) {
      current.set(name, (current.get(name) ?? 0) + 1);
    },
    withRoom(call) {
      let next = freeSums;
      call((elements) => {
        const address = next;
        next += Math.ceil(elements / side) * side;
        if (next <= machine.sums) return address;
        const wanted = `results on their way to memory take ${next - freeSums} elements of the sums`;
        throw new Refusal(`${wanted}, of which ${machine.sums - freeSums} are free`);
      });
    },
  };
}
