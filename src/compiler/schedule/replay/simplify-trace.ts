// A trace without the instructions that do nothing: a split into one part, a loop of one iteration that is unrolled, an
// order of loops that is theirs already. The result replays to the same nest but for the names of loops and loops of one
// iteration, which the lowering drops: each step is taken only if it does.
//
//   split C.i [0, 1, 8] cut                     split C.i [0, 8] cut
//   reorder C.i.0 C.j C.i.1 C.i.2         →     reorder C.i.0 C.j C.i.1
//   unroll C.i.1

import type { ComputeDef } from "../../expr/compute-def.ts";
import { fromCompute } from "../../ir/from-compute.ts";
import type { Intrinsic } from "../../ir/intrinsic.ts";
import type { LoopFunc } from "../../ir/loop-ir.ts";
import { primitiveOf } from "../primitive/index.ts";
import type { Instruction, InstructionOf, Trace } from "../trace.ts";
import { printPlain } from "./plain-nest.ts";
import { replay } from "./replay.ts";

/**
 * The trace has to be legal for the operator. Replays it about twice an instruction: for people, not for the search.
 *
 * @param intrinsics those that the target carries beside ours
 * @example simplifyTrace(gemm, [{ kind: "split", loop: "C.i", factors: [64], tail: "cut" }]) // []
 */
export function simplifyTrace(op: ComputeDef, trace: Trace, intrinsics?: readonly Intrinsic[]): Trace {
  const nest = fromCompute(op);
  const meaning = (other: Trace): string | null => meaningOf(nest, other, intrinsics);
  const wanted = meaning(trace);
  if (wanted === null) return trace;
  for (let result = trace; ; ) {
    const next = onePass(result, (other) => meaning(other) === wanted);
    if (next === result) return result;
    result = next;
  }
}

const meaningOf = (nest: LoopFunc, trace: Trace, intrinsics?: readonly Intrinsic[]): string | null => {
  const result = replay(nest, trace, intrinsics);
  return result.kind === "ok" ? printPlain(result.nest) : null;
};

/** Tries each instruction once, from the end: what uses a loop goes before the split that makes it. */
function onePass(trace: Trace, isSame: (other: Trace) => boolean): Trace {
  let result = trace;
  for (let at = trace.length - 1; at >= 0; at--) {
    let step = stepsAt(result, at).find((it) => isSame(it.trace));
    while (step && !step.isGone) {
      result = step.trace;
      step = stepsAt(result, at).find((it) => isSame(it.trace));
    }
    if (step) result = step.trace;
  }
  return result;
}

interface Step {
  readonly trace: Trace;
  /** Whether the instruction is gone as a whole. */
  readonly isGone: boolean;
}

/** Returns the trace without the instruction, and for a split also with one part less. */
function stepsAt(trace: Trace, at: number): readonly Step[] {
  const instruction = trace[at]!;
  const dropped: Step = { trace: [...trace.slice(0, at), ...trace.slice(at + 1)], isGone: true };
  if (instruction.kind !== "split") return [dropped];
  const { factors } = instruction;
  const parts = [...factors.keys()].filter((part) => factors.length === 1 || factors[part]! <= 1);
  const thinner = parts.map((part) => withoutPart(trace, at, instruction, part));
  return [dropped, ...thinner.filter((step) => step !== null)];
}

/** Returns the trace with one part less in a split; null: another instruction needs the part. */
function withoutPart(trace: Trace, at: number, split: InstructionOf<"split">, part: number): Step | null {
  const { loop, factors } = split;
  // The only part of a loop is the loop itself.
  const gone = factors.length === 1 ? null : `${loop}.${part}`;
  const rename = renaming(
    loop,
    [...factors.keys()].filter((each) => gone === null || each !== part),
  );
  const later: Instruction[] = [];
  for (const instruction of trace.slice(at + 1)) {
    const renamed = withoutLoop(instruction, gone, rename);
    if (renamed === null) return null;
    later.push(...renamed);
  }
  const isGone = factors.length <= 2;
  const thinner = isGone ? [] : [{ ...split, factors: factors.filter((_, each) => each !== part) }];
  return { trace: [...trace.slice(0, at), ...thinner, ...later], isGone };
}

/** Names once these parts are all that a loop has: they are numbered anew; one alone is the loop itself. */
function renaming(loop: string, parts: readonly number[]): (name: string) => string {
  const moved = parts.map((part, place): readonly [string, string] => [
    `${loop}.${part}`,
    parts.length === 1 ? loop : `${loop}.${place}`,
  ]);
  const component = (name: string): string => renamedComponent(name, moved);
  return (name) => name.split("+").map(component).join("+");
}

/** Names of parts, copies and pieces begin with that of the loop they were made of. */
function renamedComponent(name: string, moved: readonly (readonly [string, string])[]): string {
  const match = moved.find(([from]) => name === from || name.startsWith(`${from}.`) || name.startsWith(`${from}@`));
  return match ? match[1] + name.slice(match[0].length) : name;
}

/** The instruction where a loop is gone and others are renamed: one, or none; null where it needs the loop. */
function withoutLoop(
  instruction: Instruction,
  gone: string | null,
  rename: (name: string) => string,
): readonly Instruction[] | null {
  const { fields, role } = primitiveOf(instruction.kind);
  const values = new Map(Object.entries(instruction));
  for (const { name, names } of fields) {
    const value = values.get(name);
    if (names === "loop" && value === gone) return role === "mark" ? [] : null;
    if (names === "loop" && typeof value === "string") values.set(name, rename(value));
    if (names === "loops" && Array.isArray(value)) {
      const left = value.filter((loop) => loop !== gone).map(rename);
      if (role !== "order" && left.length < value.length) return null;
      if (left.length === 0) return [];
      values.set(name, left);
    }
  }
  // The same kind with the same fields.
  return [Object.fromEntries(values) as unknown as Instruction];
}
