// The contract of a policy that decides which of several tunings goes on, and what it may know. A policy is pure: the same
// histories give the same choice.

export interface RoundFact {
  /** Wall-clock time of the round, in milliseconds. */
  readonly ms: number;
  readonly measured: number;
  /** Time of the best candidate at the round's end; null: nothing has run yet. */
  readonly bestNs: number | null;
}

export interface TaskHistory {
  /** Factor by which the kernel's time counts: the calls of a program, or the imports of a bundle. */
  readonly weight: number;
  /** Arithmetic operations of one call. */
  readonly flops: number;
  /** Name of the task's family, the same operator in other shapes: its tasks reach about the same throughput. */
  readonly family: string;
  readonly rounds: readonly RoundFact[];
}

export interface SchedulingPolicy {
  readonly name: string;
  /** Returns the index of the tuning that goes on. `tasks` has at least one, and none that is over. */
  choose(tasks: readonly TaskHistory[]): number;
}

export const spentMs = ({ rounds }: TaskHistory): number => rounds.reduce((sum, { ms }) => sum + ms, 0);
export const bestNs = ({ rounds }: TaskHistory): number | null => rounds.at(-1)?.bestNs ?? null;

/** Returns the index of the first of the greatest values. */
export function greatest(values: readonly number[]): number {
  return values.reduce((best, value, at) => (value > values[best]! ? at : best), 0);
}
