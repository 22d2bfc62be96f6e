// The fleet as a build sees it: the classes of the workers that are registered, and for each task the one that measures it. Every
// failure to reach it is a line, and the machine that tunes measures itself.

import { randomUUID } from "node:crypto";
import { codegenVersion, DiagnosticError, type Target, type TargetName } from "../../compiler/index.ts";
import { nowMs } from "../../native/machine/clock.ts";
import { canonicalJson } from "../../tuner/data/key.ts";
import { type FleetQueue, QueueLost } from "../../tuner/fleet/queue.ts";
import { type FleetKey, type Unsealed, unseal } from "../../tuner/fleet/seal.ts";
import type { Coordinator } from "../../tuner/fleet/submit.ts";
import {
  classHash,
  decodeRegistration,
  type Registration,
  targetOfClass,
  type WorkerClass,
} from "../../tuner/fleet/worker-class.ts";

/** Workers of one class. */
export interface FleetClass {
  readonly hash: string;
  readonly of: WorkerClass;
  readonly workers: number;
  /** Least number of cores among them. */
  readonly cores: number;
}

export interface Fleet {
  /** Classes that were served when the fleet was opened, the largest first. */
  readonly classes: readonly FleetClass[];
  /** The class that measures a target; null: none does. */
  classFor(target: Target): FleetClass | null;
  coordinator(onWait: (ms: number) => void): Coordinator;
  /** Runs as much work of a class at the same time as it has workers. */
  inTurn<T>(of: FleetClass, work: () => Promise<T>): Promise<T>;
  /** Longest time of a job, in milliseconds. */
  readonly deadlineMs: number;
  /** Called where the fleet is lost; tells of it once. */
  lost(reason: string): void;
  close(): Promise<void>;
}

export interface FleetOptions {
  readonly open: () => Promise<FleetQueue>;
  readonly key: FleetKey;
  readonly signal?: AbortSignal | undefined;
  /** Longest time of a job on its worker, in milliseconds; default: 120,000. */
  readonly deadlineMs?: number;
  /** Receives the one line that says that it is measured here. */
  readonly warn: (line: string) => void;
}

/** Opens a fleet. Returns null, and has said why, where it cannot be reached or has no workers. */
export async function openFleet(options: FleetOptions): Promise<Fleet | null> {
  const { open, key, signal, deadlineMs = 120_000, warn } = options;
  let told = false;
  const tell = (reason: string): void => {
    if (!told) warn(`${reason}; this machine measures itself`);
    told = true;
  };
  try {
    const queue = await open();
    const { classes, refused } = await classesOf(queue, key);
    if (classes.length === 0) {
      await queue.close();
      tell(refused === null ? "the fleet has no workers" : `no worker of the fleet can be used: ${refused}`);
      return null;
    }
    const inTurn = turnsBy();
    const run = key === null ? null : randomUUID().replaceAll("-", "");
    const isServed = async (hash: string) => (await classesOf(queue, key)).classes.some((it) => it.hash === hash);
    return {
      classes,
      classFor: (target) => classes.find(({ of, cores }) => serves(of, cores, target)) ?? null,
      coordinator: (onWait) => ({ queue, key, run, clock: nowMs, signal, isServed, onWait }),
      inTurn,
      deadlineMs,
      lost: (reason) => tell(`the fleet is lost: ${reason}`),
      close: () => queue.close(),
    };
  } catch (error) {
    if (!(error instanceof QueueLost)) throw error;
    tell(`the fleet cannot be reached: ${error.message}`);
    return null;
  }
}

const serves = (of: WorkerClass, cores: number, target: Target): boolean =>
  target.threads <= cores &&
  canonicalJson(targetOfClass(of, target.name as TargetName, target.threads)) === canonicalJson(target);

interface Classes {
  readonly classes: readonly FleetClass[];
  /** Why the last registration that is not used is refused. */
  readonly refused: string | null;
}

/** Opens a registration. A worker of another version would refuse all jobs of this one. */
function openRegistration(text: string, key: FleetKey): Unsealed<Registration> {
  const opened = unseal("worker", text, decodeRegistration, key);
  if (opened.kind === "refused" || opened.body.of.codegen === codegenVersion) return opened;
  return { kind: "refused", reason: `it is of version ${opened.body.of.codegen}, this is ${codegenVersion}` };
}

async function classesOf(queue: FleetQueue, key: FleetKey): Promise<Classes> {
  const opened = (await queue.workers()).map((text) => openRegistration(text, key));
  const groups = new Map<string, Registration[]>();
  // A registration that somebody wrote under other keys, too, is still that of one worker.
  const workers = new Map(opened.flatMap((one) => (one.kind === "ok" ? [[one.body.id, one.body] as const] : [])));
  for (const worker of workers.values()) {
    const hash = classHash(worker.of);
    groups.set(hash, [...(groups.get(hash) ?? []), worker]);
  }
  const classes = [...groups].map(([hash, members]): FleetClass => {
    const cores = Math.min(...members.map((member) => member.cores));
    return { hash, of: members[0]!.of, workers: members.length, cores };
  });
  const refused = opened.findLast((one) => one.kind === "refused");
  return {
    classes: classes.sort((a, b) => b.workers - a.workers || (a.hash < b.hash ? -1 : 1)),
    refused: refused?.kind === "refused" ? refused.reason : null,
  };
}

/** Lets as many works of a class run as it has workers; the others wait in their order. */
function turnsBy(): Fleet["inTurn"] {
  const running = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  return async ({ hash, workers }, work) => {
    const busy = running.get(hash) ?? 0;
    if (busy >= workers) {
      await new Promise<void>((begin) => waiting.set(hash, [...(waiting.get(hash) ?? []), begin]));
    } else running.set(hash, busy + 1);
    try {
      return await work();
    } finally {
      const [next, ...others] = waiting.get(hash) ?? [];
      waiting.set(hash, others);
      if (next) next();
      else running.set(hash, (running.get(hash) ?? 1) - 1);
    }
  };
}

/** Error for a kernel of another machine's class, which cannot be measured here. */
export const lostElsewhere = (kernel: string, reason: string): DiagnosticError =>
  new DiagnosticError({
    code: "fleet.lost",
    message: `${kernel}: the fleet is lost, and this machine cannot measure it: ${reason}`,
    loc: null,
    hint: "run the command again when the fleet is there: what was measured is kept",
    detail: null,
  });
