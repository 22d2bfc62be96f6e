// Several tunings on one machine that take turns: a policy says who has the next round, newcomers are admitted at any
// time, and a total of seconds ends all. Each is a promise of its own result.

import type { Tuning } from "../tuning.ts";
import type { RoundFact, SchedulingPolicy, TaskHistory } from "./policy.ts";
import { type GroupCosts, roundLimit } from "./total-budget.ts";

export interface GroupOptions {
  readonly policy: SchedulingPolicy;
  /** Of all turns together; null: each tuning has its own budget alone. */
  readonly totalMs: number | null;
  /** Milliseconds. */
  readonly clock: () => number;
  readonly signal?: AbortSignal | undefined;
}

export interface GroupTask<Result> {
  /** As in `TaskHistory`; the weight may grow while it is tuned. */
  readonly weight: () => number;
  readonly flops: number;
  readonly family: string;
  /** In its first turn. What it opens, the caller closes when the result is there, or an error. */
  start(turns: Turns): Promise<Tuning>;
  /** In its last turn. */
  finish(tuning: Tuning): Promise<Result>;
}

/** What a tuning in a group has in place of a clock. */
export interface Turns {
  /** Milliseconds of its own turns: the seconds of its budget pass in no other's. */
  clock(): number;
  /** The total is spent: a round ends where it is. Never in the first. */
  isOver(): boolean;
  /** Milliseconds of the total; in the first round a fair share, and some seconds if it comes late. For what is killed then. */
  leftMs(): number;
}

export interface TuningGroup {
  /** Rejects with what the task throws, or with the signal's reason; the others go on. */
  tune<Result>(task: GroupTask<Result>): Promise<Result>;
  /** Milliseconds of all turns. */
  spentMs(): number;
}

interface Member {
  readonly task: GroupTask<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
  readonly rounds: RoundFact[];
  tuning: Tuning | null;
  /** In turns that have ended. */
  ownMs: number;
}

/** A first round has so much time, however late it comes: one candidate of most operators is built, checked and timed in it. */
const leastFirstMs = 5_000;

/** A fair share of what is left. */
function firstRoundMs(leftMs: number, members: readonly Member[]): number {
  const waiting = members.filter(({ rounds }) => rounds.length === 0).length;
  return Math.max(leastFirstMs, leftMs / waiting);
}

/** Where nobody knows whose turn it is all hear of it, and none waits for ever. */
function rejectAll(members: readonly Member[], error: unknown): void {
  for (const { reject } of members) reject(error);
}

interface GroupTime {
  /** Of the total, when this turn began. */
  readonly leftMs: () => number;
  readonly inTurnMs: () => number;
}

const turnsOf = (member: Member, members: readonly Member[], { leftMs, inTurnMs }: GroupTime): Turns => ({
  clock: () => member.ownMs + inTurnMs(),
  isOver: () => member.rounds.length > 0 && leftMs() <= inTurnMs(),
  leftMs: () => (member.rounds.length > 0 ? leftMs() : firstRoundMs(leftMs(), members)) - inTurnMs(),
});

/** How a member leaves. */
type Settle = () => void;

export function createTuningGroup({ policy, totalMs, clock, signal }: GroupOptions): TuningGroup {
  const members: Member[] = [];
  const rounds = { count: 0, ms: 0 };
  const finishes = { count: 0, ms: 0 };
  let spentMs = 0;
  /** Of the turn that is going on. */
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

  /** A round, or the last turn. Who has had the last one hears of it when the turn has ended. */
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

  /** Null: it goes on. */
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

  /** False: it is over. */
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
        // Those that are asked for in the same moment are there when the first is chosen.
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
