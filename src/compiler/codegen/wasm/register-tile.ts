// Keeps V8's optimising tier from spilling the accumulators of an innermost loop. Measured on a 480³ f32 GEMM, 6×8 tile:
// 26 GFLOP/s without this, 44 with it.
//
// TurboFan schedules backwards from the uses of a value. An accumulator that is stored right after its loop pulls all
// multiplications to the end of the body before the last load can be placed, so all loads come first and all their
// values are live at once. Two things that cost next to nothing prevent it:
//   block { zero; br_if; loop … }   a way around the loop, never taken: after it an accumulator is a phi, not the sum
//                                   itself, and the body is scheduled on its own, loads beside their uses
//   loop { loop {} … }              an empty loop inside: V8 unrolls and peels innermost loops only, and the copies of
//                                   an unrolled body would be chained in just that way

import { block, branchIf, type Code, loop, readZero, type ValueType, type WasmInstruction } from "./instruction.ts";

/** Vector registers that code may use, xmm0 … xmm14; V8 keeps xmm15 for itself. */
const vectorRegisters = 15;
/** Fewest sums of a tile. Loops with fewer are no tiles, and unrolling is good for them. */
const minAccumulators = 4;

/** The loop around `body` (with its exit test), which nothing but a fall through leaves. */
export function scheduledLoop(body: Code, locals: readonly ValueType[]): Code {
  const accumulators = carriedVectors(body, locals);
  const isTile = accumulators >= minAccumulators && accumulators + body.filter(isVectorLoad).length > vectorRegisters;
  if (!isTile || body.some(isLoop)) return loop(body);
  return block([readZero, branchIf(0), ...loop([...loop([]), ...body])]);
}

const isLoop = (instruction: WasmInstruction): boolean => instruction.kind === "enter" && instruction.op === "loop";

const isVectorLoad = (instruction: WasmInstruction): boolean =>
  instruction.kind === "memory" && instruction.op.startsWith("v128.load");

/** Counts the vectors that one iteration leaves to the next: locals that are read before they are set. */
function carriedVectors(body: Code, locals: readonly ValueType[]): number {
  const set = new Set<number>();
  const readFirst = new Set<number>();
  for (const instruction of body) {
    if (instruction.kind !== "local" || locals[instruction.index] !== "v128") continue;
    if (instruction.op !== "local.get") set.add(instruction.index);
    else if (!set.has(instruction.index)) readFirst.add(instruction.index);
  }
  return [...readFirst].filter((index) => set.has(index)).length;
}
