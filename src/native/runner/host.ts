// Keeps one measuring process alive, with the task of its candidates in it, and replaces it when it dies. Requests are sent
// as they come, answered in their order, and sent again to a fresh process if one before them cost the old one.

import type { Notice } from "../lock/measure-lock.ts";
import { packageFile } from "../machine/package-file.ts";
import { type Death, ProcessError } from "../process/child-process.ts";
import type { FromWorker, RunOutcome, RunTask, ToWorker } from "./protocol.ts";
import { startMeasuringProcess, type WorkerProcess } from "./worker-process.ts";

export interface MeasuringHostOptions {
  /** Longest time of a request, in milliseconds from the moment that it begins. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly workerPath?: string;
  readonly relaxedSimd?: boolean;
  readonly exclusive?: boolean;
  readonly measuring?: MeasuringPlace | undefined;
}

/** Where it is measured, among others. */
export interface MeasuringPlace {
  /** Cache directory: containers of this machine that share it take turns. */
  readonly directory: string;
  /** Told of a wait for others, and of measurements without the machine's lock. */
  readonly onNotice: (notice: Notice) => void;
}

export interface MeasuringHost {
  /**
   * @param task what the process has to know before the message
   * @param message asked for when it is sent, so once for each process
   * @param leftMs milliseconds that the request may take, also if its deadline is later; asked when it begins
   */
  ask(task: RunTask | null, message: (process: WorkerProcess) => ToWorker, leftMs?: () => number): Promise<RunOutcome>;
  forget(): void;
  /** Rejects requests on their way and later ones with the reason. Resolves when the process is gone. */
  close(reason: unknown): Promise<void>;
}

interface Request {
  readonly task: RunTask | null;
  readonly message: (process: WorkerProcess) => ToWorker;
  readonly leftMs: () => number;
  readonly resolve: (outcome: RunOutcome) => void;
  readonly reject: (reason: unknown) => void;
}

export function createHost({
  deadlineMs,
  signal,
  workerPath = packageFile("dist/native/worker.js"),
  relaxedSimd = false,
  exclusive = true,
  measuring,
}: MeasuringHostOptions): MeasuringHost {
  /** Requests without an answer, in their order; the process has been sent the first `sent` of them. */
  const requests: Request[] = [];
  let sent = 0;
  let current: WorkerProcess | null = null;
  let isReady = false;
  /** The task that the process was sent last. */
  let known: RunTask | null = null;
  let isServing = false;
  let closed: { readonly reason: unknown } | null = null;

  const close = async (reason: unknown) => {
    closed ??= { reason };
    signal?.removeEventListener("abort", abort);
    await current?.kill();
  };
  const abort = () => void close(signal?.reason);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  const throwIfClosed = () => {
    if (closed) throw closed.reason;
  };

  async function ready(): Promise<WorkerProcess> {
    throwIfClosed();
    if (current) return current;
    [sent, known, isReady] = [0, null, false];
    current = await startMeasuringProcess({
      path: workerPath,
      relaxedSimd,
      exclusive,
      directory: measuring?.directory ?? null,
    });
    const started = current;
    if (closed) await started.kill();
    const first = await started.receive();
    if (first.kind === "death") current = null;
    throwIfClosed();
    if (first.kind !== "ready")
      throw new ProcessError(`the measuring process ${workerPath} did not start: ${textOf(first)}`);
    isReady = true;
    return started;
  }

  function sendAll(process: WorkerProcess): void {
    for (; sent < requests.length; sent++) {
      const { task, message } = requests[sent]!;
      if (task && task !== known) process.send({ kind: "task", task });
      known = task;
      process.send(message(process));
    }
  }

  async function untilBegun(process: WorkerProcess, leftMs: () => number): ReturnType<typeof withDeadline> {
    for (;;) {
      const message = await withDeadline(process, leftMs());
      if (message.kind !== "notice") return message;
      measuring?.onNotice({ level: message.level, line: message.line });
    }
  }

  /**
   * Waits for the first request's outcome, or the error of ours that it ran into. A process that dies or expires is ended,
   * and the next request starts a fresh one.
   */
  async function outcomeOfFirst(process: WorkerProcess): Promise<RunOutcome | Error> {
    const { leftMs } = requests[0]!;
    // Other processes may hold the machine as long as they like, but this one waits no longer than the time that is left.
    const begun = await untilBegun(process, leftMs);
    const limitMs = Math.min(deadlineMs, Math.max(leastMs, leftMs()));
    const answer = begun.kind === "begun" ? await withDeadline(process, limitMs) : begun;
    throwIfClosed();
    if (answer.kind === "outcome") return answer.outcome;
    await process.kill();
    current = null;
    if (answer.kind === "expired") return { kind: "timed-out", deadlineMs: limitMs };
    if (answer.kind === "death" && answer.isBug) return new Error(`the measuring process failed: ${answer.reason}`);
    return { kind: "crashed", reason: textOf(answer) };
  }

  /** Returns the process, or null if the first request has no time left and no process has seen it. */
  async function processInTime(): Promise<WorkerProcess | null> {
    throwIfClosed();
    return requests[0]!.leftMs() <= 0 && (sent === 0 || !current) ? null : ready();
  }

  async function serve(): Promise<void> {
    if (isServing) return;
    isServing = true;
    try {
      while (requests.length > 0) {
        const process = await processInTime();
        if (process) sendAll(process);
        const outcome = process ? await outcomeOfFirst(process) : outOfTime;
        const request = requests.shift();
        if (outcome instanceof Error) request?.reject(outcome);
        else request?.resolve(outcome);
        sent = Math.max(0, sent - 1);
      }
    } catch (error) {
      sent = 0;
      for (const { reject } of requests.splice(0)) reject(error);
    }
    isServing = false;
  }

  return {
    ask: (task, message, leftMs = () => Number.POSITIVE_INFINITY) =>
      new Promise((resolve, reject) => {
        requests.push({ task, message, leftMs, resolve, reject });
        if (current && isReady && isServing) sendAll(current);
        void serve();
      }),
    forget: () => current?.send({ kind: "forget" }),
    close,
  };
}

const outOfTime: RunOutcome = { kind: "timed-out", deadlineMs: 0 };

/** Least time of a request that has begun, in milliseconds, however little is left. */
const leastMs = 20;

const textOf = (message: FromWorker | Death): string => ("reason" in message ? message.reason : message.kind);

/**
 * Waits for the next message, or for the deadline. A message after the deadline is lost with its process. A message that
 * arrived while this thread was busy counts as in time.
 */
async function withDeadline(
  process: WorkerProcess,
  deadlineMs: number,
): Promise<FromWorker | Death | { kind: "expired" }> {
  if (deadlineMs === Number.POSITIVE_INFINITY) return process.receive();
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<{ kind: "expired" }>((resolve) => {
    timer = setTimeout(() => setImmediate(() => resolve({ kind: "expired" })), deadlineMs);
  });
  return Promise.race([process.receive(), expired]).finally(() => clearTimeout(timer));
}
