// Schedules of rows: the names of their decisions, the forms of a thread's work, and instructions that some decisions ask for.

import type { Condition, TemplateInstruction } from "../../../compiler/index.ts";
import type { ByteDot } from "./byte-words.ts";
import type { RowGroup } from "./row-group.ts";
import type { Instructions } from "./tile-loops.ts";

export const threadsOfRow = ({ root }: RowGroup): string => `${root.name}.row-threads`;
export const combinersOf = ({ root }: RowGroup): string => `${root.name}.row-combiners`;
export const rowsOfGroup = ({ root }: RowGroup): string => `${root.name}.group-rows`;
export const rowUnrollOf = ({ root }: RowGroup): string => `${root.name}.row-unroll`;
/** Neighbouring elements that a thread reads together. */
export const rowLanesOf = ({ root }: RowGroup): string => `${root.name}.row-lanes`;
/** Rows whose parts a thread adds up beside each other, so that it loads once what they share. */
export const rowsOfThread = ({ root }: RowGroup): string => `${root.name}.thread-rows`;

/** The form of a thread's work, beside the loops that all schedules of rows have. */
export interface RowForm {
  /** Whether each thread keeps its part of a row in registers. */
  readonly isKept: boolean;
  /** Whether each takes whole vectors of a row, and stores such. */
  readonly inVectors: boolean;
  /** Whether each has several rows. */
  readonly hasSeveral: boolean;
  /** The instruction by which each takes words of a row; null: it takes elements. */
  readonly dot: ByteDot | null;
  /** Neighbours that add up their parts by shuffles; 0: all meet in the memory of the group. */
  readonly shuffleLanes: number;
}

export const plainForm: RowForm = { isKept: false, inVectors: false, hasSeveral: false, dot: null, shuffleLanes: 0 };

/** Instructions of a template, with the decisions under which they are part of a schedule. */
export type Steps = readonly TemplateInstruction[];

export const inAnyCase = (instructions: Instructions, when: readonly Condition[] = []): Steps =>
  instructions.map((instruction) => ({ instruction, when }));
