// Tasks and what was found for them → a table as text: the best, and beside it the schedule that is used without tuning.

import { duration, threeDigits } from "../support/readable-number.ts";
import { textTable } from "./text-table.ts";

export interface TaskPerformance {
  readonly task: string;
  readonly target: string;
  /** Arithmetic operations of one call. */
  readonly flops: number;
  /** Time of the best candidate; null: nothing ran. */
  readonly bestNs: number | null;
  /** Number of candidates measured. */
  readonly trials: number;
  /** Time of the predicted schedule; null: not measured. */
  readonly predictedNs: number | null;
}

const head = ["task", "target", "best", "GFLOP/s", "candidates", "predicted", "GFLOP/s", "speed-up"];

/** Draws the table. The speed-up is that of the best over the predicted schedule. */
export function perfTable(rows: readonly TaskPerformance[]): string {
  return textTable(head, rows.map(cellsOf));
}

function cellsOf({ task, target, flops, bestNs, trials, predictedNs }: TaskPerformance): readonly string[] {
  const speedUp = bestNs === null || predictedNs === null ? "–" : `${(predictedNs / bestNs).toFixed(2)} ×`;
  return [task, target, ...figuresOf(bestNs, flops), String(trials), ...figuresOf(predictedNs, flops), speedUp];
}

const figuresOf = (ns: number | null, flops: number): readonly string[] =>
  ns === null ? ["–", "–"] : [duration(ns), threeDigits(flops / ns)];
