// Who of several tunings goes on: the contract of a policy, and what it may know. Pure: the same histories give the same
// choice.

export interface RoundFact {
  /** Wall-clock of the round. */
  readonly ms: number;
  readonly measured: number;
  /** The best so far, at its end; null: nothing has run yet. */
  readonly bestNs: number | null;
}

export interface TaskHistory {
  /** How often the kernel counts: the calls of a program, or the imports of a bundle. */
  readonly weight: number;
  /** Of one call. */
  readonly flops: number;
  /** Tasks of one text reach about the same throughput: the same operator, in other shapes. */
  readonly family: string;
  readonly rounds: readonly RoundFact[];
}

export interface SchedulingPolicy {
  readonly name: string;
  /** The place of the one that goes on; there is at least one. Those that are over are not among them. */
  choose(tasks: readonly TaskHistory[]): number;
}

export const spentMs = ({ rounds }: TaskHistory): number => rounds.reduce((sum, { ms }) => sum + ms, 0);
export const bestNs = ({ rounds }: TaskHistory): number | null => rounds.at(-1)?.bestNs ?? null;

/** The first of the greatest. */
export function greatest(values: readonly number[]): number {
  return values.reduce((best, value, at) => (value > values[best]! ? at : best), 0);
}
