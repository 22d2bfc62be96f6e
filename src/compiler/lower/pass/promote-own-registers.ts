// Registers of a thread → locals, as `promote-registers` has it. A buffer that cannot become locals stays the thread's own: in memory
// that all threads share, each would find what another has left.

import { vectorBytesOf } from "../../target/target.ts";
import type { Pass } from "./pass.ts";
import { promoteAll, promoteRegisters } from "./promote-registers.ts";

export const promoteOwnRegisters: Pass = {
  name: promoteRegisters.name,
  run(func, context) {
    const own = new Set(func.buffers.filter(({ memory }) => memory === "register").map(({ name }) => name));
    const promoted = promoteAll(func, { vectorBytes: vectorBytesOf(context.target), joinsElements: true });
    const buffers = promoted.buffers.map((buffer) =>
      own.has(buffer.name) ? ({ ...buffer, memory: "register" } as const) : buffer,
    );
    return { ...promoted, buffers };
  },
};
