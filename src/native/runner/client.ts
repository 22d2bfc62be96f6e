// The runner: candidates in, outcomes out. A child process loads, checks and times them; one that crashes or does not
// come back costs its process and nothing else, a fresh one takes the next. Only one runner of a machine measures at a
// time. Outcomes are values; it throws when it is aborted, closed, or cannot start its process.

import { createHost, type MeasuringPlace } from "./host.ts";
import type { CacheState, Runnable, RunOutcome, RunTask, TimingPlan } from "./protocol.ts";
import type { WorkerProcess } from "./worker-process.ts";

export interface RunnerOptions {
  /** Longest time for one candidate, from its start to the last sample, in milliseconds; then its process is killed. */
  readonly deadlineMs?: number;
  /** Candidates use relaxed SIMD: Node 20 needs an option for it. */
  readonly relaxedSimd?: boolean;
  /** Aborting kills the process; calls in progress and later ones reject with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Whether to wait for other processes of this machine that measure; default: true. A check measures nothing, and waits for nobody. */
  readonly exclusive?: boolean;
  /** Cache directory and log; default: none. */
  readonly measuring?: MeasuringPlace | undefined;
  /** Path of the bundled worker; default: that of the package. */
  readonly workerPath?: string;
}

export interface WorkerRequest {
  readonly candidate: Runnable;
  /** Time of the best so far, or null: clear losers are timed once. */
  readonly incumbentNs: number | null;
  /** Most samples of a contender; default: 5. */
  readonly samples?: number;
  /** Sampling stops once the two least samples differ by less than this share; default: 0, which takes all `samples`. */
  readonly agreement?: number;
  /** Shortest time of a sample, in nanoseconds; default: 200,000. Faster kernels are run often enough to fill it. */
  readonly sampleNs?: number;
  /**
   * Nanoseconds after which no sample of the candidate begins, counted from its check run; default: 40 % of the deadline.
   */
  readonly budgetNs?: number;
  /** State of the caches when a run begins; default: "hot". */
  readonly cache?: CacheState;
  /** Returns the milliseconds that are left, which shorten the deadline; asked when the candidate begins. */
  readonly leftMs?: (() => number) | undefined;
}

type TimingRequest = Omit<WorkerRequest, "candidate" | "leftMs">;

export interface Runner {
  /** Sets inputs and right answers of the candidates that follow. Sent with the first, and again to each fresh process. */
  setTask(task: RunTask): void;
  /**
   * Loads, checks and times one candidate. Calls are answered in their order, and each is sent to the process at once: a
   * caller that makes several keeps the process busy while its own thread is.
   */
  run(request: WorkerRequest): Promise<RunOutcome>;
  /**
   * Takes one sample of a candidate, for a race. A process loads and checks it at its first sample, and keeps it until
   * `forget`. Candidates are told apart by identity.
   */
  sample(candidate: Runnable, sampleNs?: number, cache?: CacheState, leftMs?: () => number): Promise<RunOutcome>;
  /** Drops the candidates that `sample` keeps, so that it loads them anew, elsewhere in memory. */
  forget(): void;
  /** Ends the process. Safe to call twice. */
  close(): Promise<void>;
}

/** A runner with a process of its own, which can also check what is not to be timed. */
export interface CheckingRunner extends Runner {
  /** Loads a candidate and runs it once against the right answers: an addon as it is shipped, which has no timing loop. */
  check(candidate: Runnable): Promise<RunOutcome>;
}

const defaultSampleNs = 200_000;

/** Share of the deadline for taking samples: the rest is for loading, the check and slow machines. */
const timingShare = 0.4;

/**
 * Makes a runner. Nothing is started before the first candidate.
 *
 *     const runner = createRunner({ deadlineMs: 2000, signal });
 *     runner.setTask({ parameters, inputs, expected });
 *     const outcome = await runner.run({ candidate: addonRunnable(artifact, 0), incumbentNs: null });
 *     await runner.close();
 */
export function createRunner(options: RunnerOptions = {}): CheckingRunner {
  const { deadlineMs = 3000 } = options;
  const host = createHost({ ...options, deadlineMs });
  const slots = new Map<Runnable, { readonly slot: number; process: WorkerProcess | null }>();
  const longestNs = deadlineMs * 1e6 * timingShare;
  let task: RunTask | null = null;
  let nextId = 0;

  return {
    setTask(next) {
      task = next;
      slots.clear();
    },
    run({ candidate, leftMs, ...request }) {
      const plan = planOf(request, longestNs);
      return host.ask(task, () => ({ kind: "run", id: nextId++, candidate, plan }), leftMs);
    },
    sample: (candidate, sampleNs = defaultSampleNs, cache = "hot", leftMs = undefined) =>
      host.ask(
        task,
        (process) => {
          const kept = slots.get(candidate) ?? { slot: slots.size, process: null };
          slots.set(candidate, kept);
          const isKept = kept.process === process;
          kept.process = process;
          const { slot } = kept;
          return { kind: "sample", id: nextId++, slot, candidate: isKept ? null : candidate, sampleNs, cache };
        },
        leftMs,
      ),
    check: (candidate) => host.ask(task, () => ({ kind: "check", id: nextId++, candidate })),
    forget() {
      slots.clear();
      host.forget();
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
