// NVRTC in processes of its own, a few at once: a process that compiles with it ignores Ctrl-C and SIGTERM (12.4), its thread stands still
// meanwhile, and a text that crashes the compiler would take a build along.

import { availableParallelism } from "node:os";
import { packageFile } from "../machine/package-file.ts";
import { type ChildProcess, type Death, startChild } from "../process/child-process.ts";
import type { CompilerOfCuda, CudaText, MachineBinary } from "./cuda-tools.ts";

export interface NvrtcRequest {
  readonly source: CudaText;
  readonly architecture: string;
}

export type NvrtcAnswer =
  | { readonly kind: "compiled"; readonly binary: MachineBinary }
  | { readonly kind: "refused"; readonly reason: string };

export interface NvrtcOptions {
  /** Most processes at once; default: one a core, eight at most. Each takes some 150 MB. */
  readonly most?: number;
  /** Milliseconds for one text, after which its process is killed: the largest take a few seconds. */
  readonly longestMs?: number;
  /** Milliseconds that a process waits for a further text; nothing else is kept waiting for it. */
  readonly lingerMs?: number;
}

type Compiler = ChildProcess<NvrtcRequest, NvrtcAnswer>;

interface Job {
  readonly request: NvrtcRequest;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (binary: MachineBinary) => void;
  readonly reject: (reason: unknown) => void;
}

/** A place for one process. */
interface Seat {
  process: Compiler | null;
  isBusy: boolean;
  leaving: NodeJS.Timeout | undefined;
}

/**
 * Compiles as NVRTC does. A process starts when a text has none.
 *
 * @param library path or name by which NVRTC was loaded
 */
export function nvrtcProcesses(library: string, options: NvrtcOptions = {}): CompilerOfCuda {
  const { most = Math.min(availableParallelism(), 8), longestMs = 120_000, lingerMs = 2000 } = options;
  const waiting: Job[] = [];
  const seats: Seat[] = Array.from({ length: most }, () => ({ process: null, isBusy: false, leaving: undefined }));

  /** Asks a process, which is killed where it does not answer. One that waited for a text may have died before: a fresh one is asked then. */
  async function ask(seat: Seat, job: Job): Promise<MachineBinary> {
    const { request, signal } = job;
    signal?.throwIfAborted();
    const isFresh = seat.process === null;
    const asked = seat.process ?? (await startChild({ path: nvrtcProgram(), args: [library] }));
    seat.process = asked;
    signal?.throwIfAborted();
    asked.hold(true);
    asked.send(request);
    const answer = await firstOf(asked, longestMs, signal);
    if (answer.kind === "compiled") return answer.binary;
    if (answer.kind === "refused") throw new Error(answer.reason);
    seat.process = null;
    await asked.kill();
    signal?.throwIfAborted();
    if (answer.kind === "death" && !isFresh) return ask(seat, job);
    throw new Error(answer.kind === "death" ? `NVRTC: ${answer.reason}` : `NVRTC took longer than ${longestMs} ms`);
  }

  async function serve(seat: Seat): Promise<void> {
    clearTimeout(seat.leaving);
    seat.isBusy = true;
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      await ask(seat, job).then(job.resolve, job.reject);
    }
    seat.isBusy = false;
    seat.process?.hold(false);
    seat.leaving = setTimeout(() => {
      seat.process?.dismiss();
      seat.process = null;
    }, lingerMs).unref();
  }

  return {
    compile: ({ text, numerics }, architecture, signal) =>
      new Promise((resolve, reject) => {
        waiting.push({ request: { source: { text, numerics }, architecture }, signal, resolve, reject });
        const free = seats.filter(({ isBusy }) => !isBusy);
        const seat = free.find(({ process }) => process !== null) ?? free[0];
        if (seat) void serve(seat);
      }),
  };
}

const nvrtcProgram = (): string => packageFile("dist/native/nvrtc.js");

type Ending = NvrtcAnswer | Death | { readonly kind: "late" };

/** Waits for the answer; "late" comes with the time limit, and where the signal is aborted. */
async function firstOf(process: Compiler, longestMs: number, signal: AbortSignal | undefined): Promise<Ending> {
  const ended = new AbortController();
  const sooner = new Promise<Ending>((resolve) => {
    // An answer that came while this thread was busy is in time.
    const giveUp = (): void => resolve({ kind: "late" });
    const timer = setTimeout(() => setImmediate(giveUp), longestMs);
    ended.signal.addEventListener("abort", () => clearTimeout(timer));
    signal?.addEventListener("abort", giveUp, { signal: ended.signal });
  });
  return Promise.race([process.receive(), sooner]).finally(() => ended.abort());
}
