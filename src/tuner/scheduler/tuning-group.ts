// Runs several tunings on one machine in turns: a policy says which has the next round, new ones are admitted at any time, and a
// total of seconds ends all. Each is a promise of its own result.

import type { Tuning } from "../tuning/tuning.ts";
import type { RoundFact, SchedulingPolicy, TaskHistory } from "./policy.ts";
import { type GroupCosts, roundLimit } from "./total-budget.ts";

export interface TuningGroupOptions {
  readonly policy: SchedulingPolicy;
  /** Milliseconds for all turns together; null: each tuning has its own budget alone. */
  readonly totalMs: number | null;
  /** Returns milliseconds. */
  readonly clock: () => number;
  readonly signal?: AbortSignal | undefined;
}

export interface GroupTask<Result> {
  /** Returns the weight, as in `TaskHistory`; it may grow while the task is tuned. */
  readonly weight: () => number;
  readonly flops: number;
  readonly family: string;
  /** Starts the tuning, in the task's first turn. The caller closes what it opens, when the result or an error is there. */
  start(turns: Turns): Promise<Tuning>;
  /** Makes the result, in the task's last turn. */
  finish(tuning: Tuning): Promise<Result>;
}

/** Clock and limits of a tuning in a group. */
export interface Turns {
  /** Returns the milliseconds of the tuning's own turns: its budget does not run while others have theirs. */
  clock(): number;
  /** Whether the total is spent, so that a round ends early. Never in the first round. */
  isOver(): boolean;
  /**
   * Returns the milliseconds left of the total, after which what still runs is killed. The first round has a fair share, and at
   * least some seconds if it comes late.
   */
  leftMs(): number;
}

export interface TuningGroup {
  /** Tunes a task. Rejects with what the task throws, or with the signal's reason; the others go on. */
  tune<Result>(task: GroupTask<Result>): Promise<Result>;
  /** Returns the milliseconds of all turns. */
  spentMs(): number;
}

interface Member {
  readonly task: GroupTask<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
  readonly rounds: RoundFact[];
  tuning: Tuning | null;
  /** Milliseconds of its turns that have ended. */
  ownMs: number;
}

/**
 * Least time of a first round in milliseconds, however late it comes: enough to build, check and time one candidate of most
 * operators.
 */
const leastFirstMs = 5_000;

/** Returns the milliseconds of a first round: a fair share of what is left. */
function firstRoundMs(leftMs: number, members: readonly Member[]): number {
  const waiting = members.filter(({ rounds }) => rounds.length === 0).length;
  return Math.max(leastFirstMs, leftMs / waiting);
}

/** Rejects all members, where an error belongs to none of them, so that none waits for ever. */
function rejectAll(members: readonly Member[], error: unknown): void {
  for (const { reject } of members) reject(error);
}

interface GroupTime {
  /** Returns the milliseconds that were left of the total when this turn began. */
  readonly leftMs: () => number;
  readonly inTurnMs: () => number;
}

const turnsOf = (member: Member, members: readonly Member[], { leftMs, inTurnMs }: GroupTime): Turns => ({
  clock: () => member.ownMs + inTurnMs(),
  isOver: () => member.rounds.length > 0 && leftMs() <= inTurnMs(),
  leftMs: () => (member.rounds.length > 0 ? leftMs() : firstRoundMs(leftMs(), members)) - inTurnMs(),
});

/** Resolves or rejects a member's promise. */
type Settle = () => void;

export function createTuningGroup({ policy, totalMs, clock, signal }: TuningGroupOptions): TuningGroup {
  const members: Member[] = [];
  const rounds = { count: 0, ms: 0 };
  const finishes = { count: 0, ms: 0 };
  let spentMs = 0;
  /** Start of the turn that is going on, in milliseconds; null between turns. */
  let turnStart: number | null = null;
  let isServing = false;

  const inTurnMs = (): number => (turnStart === null ? 0 : clock() - turnStart);
  const time: GroupTime = { inTurnMs, leftMs: () => (totalMs ?? Number.POSITIVE_INFINITY) - spentMs };

  async function serve(): Promise<void> {
    if (isServing) return;
    isServing = true;
    try {
      while (members.length > 0) await next();
    } catch (error) {
      rejectAll(members.splice(0), error);
    } finally {
      isServing = false;
    }
  }

  function next(): Promise<void> {
    const histories = members.map(historyOf);
    const at = policy.choose(histories);
    return turn(members[at]!, roundLimit(histories, at, totalMs, costsOf(spentMs, rounds, finishes)));
  }

  /** Serves one turn: a round, or the last turn, after whose end the member's promise settles. */
  async function turn(member: Member, most: number): Promise<void> {
    turnStart = clock();
    const settle = await served(member, most);
    const ms = inTurnMs();
    turnStart = null;
    member.ownMs += ms;
    spentMs += ms;
    if (!settle) return;
    members.splice(members.indexOf(member), 1);
    settle();
  }

  /** Runs a round, or finishes the member. Null: it goes on. */
  async function served(member: Member, most: number): Promise<Settle | null> {
    try {
      signal?.throwIfAborted();
      if (await round(member, most)) return null;
      const start = inTurnMs();
      const result = await member.task.finish(member.tuning!);
      add(finishes, 1, inTurnMs() - start);
      return () => member.resolve(result as never);
    } catch (error) {
      return () => member.reject(error);
    }
  }

  /** Runs a round. Returns false if the tuning is over. */
  async function round(member: Member, most: number): Promise<boolean> {
    member.tuning ??= await member.task.start(turnsOf(member, members, time));
    const { tuning } = member;
    const before = tuning.progress().measured;
    if (most === 0 || !(await tuning.advance(most))) return false;
    const { measured, bestNs } = tuning.progress();
    const fact = { ms: inTurnMs(), measured: measured - before, bestNs };
    member.rounds.push(fact);
    add(rounds, fact.measured, fact.ms);
    return true;
  }

  return {
    spentMs: () => spentMs + inTurnMs(),
    tune: (task) =>
      new Promise((resolve, reject) => {
        members.push({ task, resolve, reject, rounds: [], tuning: null, ownMs: 0 });
        // Tasks that are asked for in the same moment are all there when the first is chosen.
        void Promise.resolve().then(serve);
      }),
  };
}

const historyOf = ({ task, rounds }: Member): TaskHistory => {
  return { weight: task.weight(), flops: task.flops, family: task.family, rounds };
};

interface Cost {
  count: number;
  ms: number;
}

const costsOf = (spentMs: number, rounds: Cost, finishes: Cost): GroupCosts => {
  return { spentMs, trialMs: meanOf(rounds), finishMs: meanOf(finishes) };
};

const meanOf = ({ count, ms }: Cost): number | null => (count === 0 ? null : ms / count);

function add(cost: Cost, count: number, ms: number): void {
  cost.count += count;
  cost.ms += ms;
}
