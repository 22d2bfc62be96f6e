// A template and an assignment of its tunables → the concrete trace.

import { invariant } from "../support/invariant.ts";
import type { Assignment, Condition, Instruction, LayoutDim, Operand, TemplateInstruction, Trace } from "./trace.ts";

/**
 * @example
 * instantiate([{ instruction: { kind: "split", loop: "C.i", factors: [0, { tunable: "mr" }], tail: "cut" }, when: [] }], { mr: 6 })
 * // [{ kind: "split", loop: "C.i", factors: [0, 6], tail: "cut" }]
 */
export function instantiate(template: readonly TemplateInstruction[], assignment: Assignment): Trace {
  return template.filter((one) => isPart(one, assignment)).map(({ instruction }) => concrete(instruction, assignment));
}

/** Whether the instruction is one of the schedule's. */
export function isPart({ when }: TemplateInstruction, assignment: Assignment): boolean {
  const holds = ({ tunable, oneOf }: Condition): boolean => oneOf.includes(resolve({ tunable }, assignment));
  return when.every(holds);
}

function resolve(operand: Operand, assignment: Assignment): number {
  if (typeof operand === "number") return operand;
  const value = assignment[operand.tunable];
  invariant(value !== undefined, `the assignment has no value for ${operand.tunable}`);
  return value * (operand.times ?? 1);
}

function concrete(instruction: Instruction<Operand>, assignment: Assignment): Instruction {
  const number = (operand: Operand): number => resolve(operand, assignment);
  switch (instruction.kind) {
    case "split":
      return { ...instruction, factors: instruction.factors.map(number) };
    case "unroll":
      return instruction.depth === undefined
        ? { kind: "unroll", loop: instruction.loop }
        : { ...instruction, depth: number(instruction.depth) };
    case "prefetch":
      return { ...instruction, distance: number(instruction.distance) };
    case "annotate":
      return { ...instruction, value: number(instruction.value) };
    case "loop-partition":
      return { ...instruction, at: instruction.at.map(number) };
    case "pad":
      return { ...instruction, multiples: instruction.multiples.map(number) };
    case "storage-align":
      return { ...instruction, factor: number(instruction.factor), offset: number(instruction.offset) };
    case "cache-read":
    case "transform-layout":
      return {
        ...instruction,
        layout: instruction.layout.map((dim): LayoutDim<number> => ({ ...dim, tile: number(dim.tile) })),
      };
    case "fuse":
    case "reorder":
    case "bind":
    case "vectorize":
    case "parallel":
    case "compute-at":
    case "reverse-compute-at":
    case "reverse-inline":
    case "merge-loops":
    case "inline":
    case "cache-write":
    case "decompose-reduction":
    case "rfactor":
    case "share-element":
    case "tensorize":
    case "set-dtype":
    case "hoist-storage":
    case "double-buffer":
    case "set-scope":
      return instruction;
  }
}
