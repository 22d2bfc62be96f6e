// The runner: candidates in, outcomes out. A child process loads, checks and times them; one that crashes or does not
// come back costs its process and nothing else, a fresh one takes the next. Only one runner of a machine measures at a
// time. Outcomes are values; it throws when it is aborted, closed, or cannot start its process.

import type { Artifact } from "../artifact.ts";
import { withMachineLock } from "../machine-lock.ts";
import { createQueue } from "../queue.ts";
import type { CacheState, FromWorker, Runnable, RunOutcome, RunTask, TimingPlan, ToWorker } from "./protocol.ts";
import { type Death, defaultWorkerPath, startWorker, type WorkerProcess } from "./worker-process.ts";

export interface RunnerOptions {
  /** Longest time for one candidate from loading to the last sample; then its process is killed. */
  readonly deadlineMs?: number;
  /** Candidates use relaxed SIMD: Node 20 needs an option for it. */
  readonly relaxedSimd?: boolean;
  /** Aborting kills the process; calls in progress and later ones reject with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Wait for other processes of this machine that measure. Only tests say no. */
  readonly exclusive?: boolean;
  /** The bundled worker; by default that of the package. */
  readonly workerPath?: string;
}

export interface RunRequest {
  readonly candidate: Runnable;
  /** Time of the best so far, or null: clear losers are timed once. */
  readonly incumbentNs: number | null;
  /** Samples of a contender; 5 unless said. */
  readonly samples?: number;
  /** Two least samples that differ by less than this share are enough; 0 unless said: as many as are wanted. */
  readonly agreement?: number;
  /** Shortest time of a sample; 200 µs unless said. Faster kernels are run often enough to fill it. */
  readonly sampleNs?: number;
  /** No sample begins after so much time with the candidate, the check run included; 40 % of the deadline unless said. */
  readonly budgetNs?: number;
  /** "hot" unless said. */
  readonly cache?: CacheState;
  /** Told when the candidate is on its way to the process: the caller's thread is free until the outcome. */
  readonly onSent?: () => void;
}

type TimingRequest = Omit<RunRequest, "candidate" | "onSent">;

export interface Runner {
  /** Inputs and right answers of the candidates that follow. Sent once, and again to each fresh process. */
  setTask(task: RunTask): void;
  /** Loads, checks and times one candidate. Calls wait for each other. */
  run(request: RunRequest): Promise<RunOutcome>;
  /**
   * One sample of a candidate, for a race: loaded and checked at its first sample (of a process), kept for the others
   * until `forget`. Candidates are told apart by identity.
   */
  sample(candidate: Runnable, sampleNs?: number, cache?: CacheState): Promise<RunOutcome>;
  /** Drops the candidates that `sample` keeps. */
  forget(): void;
  /** Ends the process. Safe to call twice. */
  close(): Promise<void>;
}

const defaultSampleNs = 200_000;

/** Of the deadline, for taking samples: the rest is for loading, the check and slow machines. */
const timingShare = 0.4;

/**
 * Makes a runner. Nothing is started before the first candidate.
 *
 *     const runner = createRunner({ deadlineMs: 2000, signal });
 *     runner.setTask({ parameters, inputs, expected });
 *     const outcome = await runner.run({ candidate: toRunnable(artifact, 0), incumbentNs: null });
 *     await runner.close();
 */
export function createRunner(options: RunnerOptions = {}): Runner {
  const { deadlineMs = 3000, exclusive = true, signal } = options;
  const host = createHost(options);
  const inTurn = createQueue();
  const slots = new Map<Runnable, { readonly slot: number; process: WorkerProcess | null }>();
  let nextId = 0;

  const measured = (ask: (process: WorkerProcess) => ToWorker, onSent?: () => void): Promise<RunOutcome> =>
    inTurn(() => {
      const exchange = async () => host.exchange(ask, deadlineMs, onSent);
      return exclusive ? withMachineLock("measure", { signal }, exchange) : exchange();
    });
  const longestNs = deadlineMs * 1e6 * timingShare;

  return {
    setTask(task) {
      void inTurn(async () => {
        slots.clear();
        host.setTask(task);
      });
    },
    run({ candidate, onSent, ...request }) {
      const plan = planOf(request, longestNs);
      return measured(() => ({ kind: "run", id: nextId++, candidate, plan }), onSent);
    },
    sample: (candidate, sampleNs = defaultSampleNs, cache = "hot") =>
      measured((process) => {
        const kept = slots.get(candidate) ?? { slot: slots.size, process: null };
        slots.set(candidate, kept);
        const isKept = kept.process === process;
        kept.process = process;
        const { slot } = kept;
        return { kind: "sample", id: nextId++, slot, candidate: isKept ? null : candidate, sampleNs, cache };
      }),
    forget() {
      void inTurn(async () => {
        slots.clear();
        host.forget();
      });
    },
    close: () => host.close(new Error("the runner is closed")),
  };
}

const planOf = (
  { incumbentNs, samples = 5, agreement = 0, sampleNs = defaultSampleNs, cache = "hot", budgetNs }: TimingRequest,
  longestNs: number,
): TimingPlan => ({
  incumbentNs,
  samples,
  agreement,
  sampleNs,
  cache,
  budgetNs: Math.min(budgetNs ?? longestNs, longestNs),
});

/** The candidate of an artifact: kernel `index` of an addon, or the one of a WASM module. */
export function toRunnable(artifact: Artifact, index: number): Runnable {
  if (artifact.kind === "native") {
    const features = artifact.kernels[index]?.features ?? [];
    return { kind: "native", path: artifact.path, index, features };
  }
  return { kind: "wasm", bytes: artifact.source.bytes, offsets: artifact.source.offsets };
}

interface Host {
  setTask(task: RunTask): void;
  forget(): void;
  exchange(ask: (process: WorkerProcess) => ToWorker, deadlineMs: number, onSent?: () => void): Promise<RunOutcome>;
  close(reason: unknown): Promise<void>;
}

/** Keeps one process alive with the task in it; replaces it when it dies. */
function createHost({ signal, workerPath = defaultWorkerPath(), relaxedSimd = false }: RunnerOptions): Host {
  let task: RunTask | null = null;
  let current: WorkerProcess | null = null;
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

  const ready = async (): Promise<WorkerProcess> => {
    throwIfClosed();
    if (current) return current;
    const started = await startWorker(workerPath, relaxedSimd);
    current = started;
    if (closed) await started.kill();
    const first = await started.receive();
    if (first.kind === "death") current = null;
    throwIfClosed();
    if (first.kind !== "ready") throw new Error(`the measuring process ${workerPath} did not start: ${textOf(first)}`);
    if (task) started.send({ kind: "task", task });
    return started;
  };

  return {
    setTask(next) {
      task = next;
      current?.send({ kind: "task", task });
    },
    forget: () => current?.send({ kind: "forget" }),
    close,
    async exchange(ask, deadlineMs, onSent) {
      const process = await ready();
      process.send(ask(process));
      onSent?.();
      const answer = await withDeadline(process, deadlineMs);
      throwIfClosed();
      if (answer.kind === "outcome") return answer.outcome;
      await process.kill();
      current = null;
      if (answer.kind === "expired") return { kind: "timed-out", deadlineMs };
      if (answer.kind === "death" && answer.isBug) throw new Error(`the measuring process failed: ${answer.reason}`);
      return { kind: "crashed", reason: textOf(answer) };
    },
  };
}

const textOf = (message: FromWorker | Death): string => ("reason" in message ? message.reason : message.kind);

/** The next message, unless the deadline comes first; a message that comes later is lost with its process. */
async function withDeadline(
  process: WorkerProcess,
  deadlineMs: number,
): Promise<FromWorker | Death | { kind: "expired" }> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<{ kind: "expired" }>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "expired" }), deadlineMs);
  });
  return Promise.race([process.receive(), expired]).finally(() => clearTimeout(timer));
}
