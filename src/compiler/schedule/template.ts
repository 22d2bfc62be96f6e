// A template and an assignment of its tunables → the concrete trace.

import { invariant } from "../support/invariant.ts";
import type { Assignment, Condition, Instruction, Operand, TemplateInstruction, Trace } from "./trace.ts";

/**
 * @example
 * instantiate([{ instruction: { kind: "split", loop: "C.i", factors: [0, { tunable: "mr" }], tail: "cut" }, when: [] }], { mr: 6 })
 * // [{ kind: "split", loop: "C.i", factors: [0, 6], tail: "cut" }]
 */
export function instantiateTemplate(template: readonly TemplateInstruction[], assignment: Assignment): Trace {
  return template.filter((one) => isPart(one, assignment)).map(({ instruction }) => concrete(instruction, assignment));
}

/** Says whether the schedule of an assignment has the instruction. */
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

/** Instruction with numbers for operands, which stand in fields, in lists, and in objects in lists. An undefined field is left out. */
function concrete(instruction: Instruction<Operand>, assignment: Assignment): Instruction {
  const visit = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(visit);
    if ("tunable" in value) return resolve(value as Exclude<Operand, number>, assignment);
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return Object.fromEntries(fields.map(([name, field]) => [name, visit(field)]));
  };
  // Operands are numbers now, all else is what it was.
  return visit(instruction) as Instruction;
}
