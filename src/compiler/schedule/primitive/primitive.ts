// The contract of a schedule primitive: one file each beside this one, all of them in the table of `index.ts`. How instructions read
// and print as JSON and as calls, and what becomes of them without a loop, follows from their primitives.

import type { Intrinsic } from "../../ir/intrinsic.ts";
import type { LoopFunc } from "../../ir/loop-ir.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import type { InstructionArgs, InstructionKind, InstructionOf } from "../trace.ts";
import type { Field } from "./field.ts";

export interface Primitive<K extends InstructionKind, Fields extends readonly Field[] = readonly Field[]> {
  readonly kind: K;
  /** In the order of the arguments of a call: what the instruction is about comes first. */
  readonly fields: Fields;
  /**
   * How an instruction depends on the loops that it names. "mark": it leaves a word at them, which goes with them. "order": it orders them,
   * and goes on without one of them. "step": it needs them all.
   */
  readonly role: "mark" | "order" | "step";
  /**
   * Says why the instruction is not legal here; null if it is. Costs little: the search asks thousands of times.
   *
   * @param intrinsics those that the target carries beside ours
   */
  check(nest: LoopFunc, args: InstructionOf<K>, intrinsics?: readonly Intrinsic[]): Diagnostic | null;
  /** The nest after the instruction. Assumes that `check` gave null; the meaning of the nest stays what it was. */
  apply(nest: LoopFunc, args: InstructionOf<K>): LoopFunc;
  /** Text of the instruction in one line: `split C.i [11, 6] mask`. */
  print(args: InstructionOf<K>): string;
}

type FieldName<K extends InstructionKind> = keyof InstructionArgs<number>[K] & string;

/** An error of types that names the fields that a primitive has forgotten; unknown: there are none. */
type AllFields<K extends InstructionKind, Fields extends readonly Field[]> = [
  Exclude<FieldName<K>, Fields[number]["name"]>,
] extends [never]
  ? unknown
  : { readonly fieldsToList: Exclude<FieldName<K>, Fields[number]["name"]> };

/** A primitive with the types of its fields, in their order: those of the arguments of a call follow from them. */
export const definePrimitive = <K extends InstructionKind, const Fields extends readonly Field<FieldName<K>>[]>(
  primitive: Primitive<K, Fields> & AllFields<K, Fields>,
): Primitive<K, Fields> => primitive;
