// Tuning in a process of low priority beside that of a dev server, which goes on answering: a search takes its thread for tenths of a
// second, again and again. The process lives while there is something to tune, and what it finds is in the lock and the store.

import { DiagnosticError } from "../../compiler/index.ts";
import { packageFile } from "../../native/machine/package-file.ts";
import { type ChildProcess, ProcessError, startChild } from "../../native/process/child-process.ts";
import type { BackgroundTuner, TunerServices } from "../kernel/compile-services.ts";
import type { CompileOptions } from "../options/options.ts";
import type { FromTuner, TunerOrder } from "./protocol.ts";

interface Waiting {
  readonly services: TunerServices;
  readonly onListening?: (pipe: string) => void;
  /** Takes the places of the requests that have a decision now. */
  readonly resolve: (decided: readonly number[]) => void;
  readonly reject: (reason: unknown) => void;
}

/** One process, and what it was asked. */
interface Tuner {
  readonly process: Promise<ChildProcess<TunerOrder, FromTuner>>;
  readonly waiting: Map<number, Waiting>;
}

/** @param path the bundled `tuner-process.ts` */
export function createBackgroundTuner(path?: string): BackgroundTuner {
  let current: Tuner | null = null;
  let orders = 0;

  const dismiss = (tuner: Tuner): void => {
    if (current === tuner) current = null;
    tuner.process.then((process) => process.dismiss()).catch(() => undefined);
  };

  const order = async (
    wanted: Ordered,
    services: TunerServices,
    onListening?: (pipe: string) => void,
  ): Promise<readonly number[]> => {
    const { signal, options } = services;
    signal.throwIfAborted();
    current ??= startTuner(path ?? packageFile("dist/background-tuner.js"));
    const tuner = current;
    const id = ++orders;
    const stop = () => dismiss(tuner);
    signal.addEventListener("abort", stop);
    try {
      return await new Promise<readonly number[]>((resolve, reject) => {
        tuner.waiting.set(id, { services, resolve, reject, ...(onListening && { onListening }) });
        tuner.process.then((process) => process.send({ ...wanted, id, options: plain(options) }), reject);
      });
    } finally {
      signal.removeEventListener("abort", stop);
      tuner.waiting.delete(id);
      if (tuner.waiting.size === 0) dismiss(tuner);
    }
  };

  return {
    tune: async (request, services) => (await order({ kind: "tune", request }, services)).length > 0,
    visit: ({ requests, access, onListening }, services) =>
      order({ kind: "visit", requests, access }, services, onListening),
  };
}

/** An order as it is given: all but what each has. */
type Ordered = TunerOrder extends infer Each ? (Each extends TunerOrder ? Omit<Each, "id" | "options"> : never) : never;

function startTuner(path: string): Tuner {
  const waiting = new Map<number, Waiting>();
  const start = async () => {
    const process = await startChild<TunerOrder, FromTuner>({ path, inBackground: true });
    const first = await process.receive();
    if (first.kind === "death") throw new ProcessError(`the tuning process did not start: ${first.reason}`);
    void hear(process, waiting);
    return process;
  };
  return { process: start(), waiting };
}

async function hear(process: ChildProcess<TunerOrder, FromTuner>, waiting: Tuner["waiting"]): Promise<void> {
  for (;;) {
    const message = await process.receive();
    if (message.kind === "death") {
      const ended = new ProcessError(`the tuning process ended: ${message.reason}`);
      for (const { services, reject } of waiting.values()) reject(services.signal.reason ?? ended);
      return;
    }
    if (message.kind !== "ready") answer(message, waiting.get(message.id));
  }
}

/** Passes a message on to the caller that waits for it, if one still does. */
function answer(message: Exclude<FromTuner, { kind: "ready" }>, waiting: Waiting | undefined): void {
  if (!waiting) return;
  const { services, onListening, resolve, reject } = waiting;
  if (message.kind === "line") services.log[message.level](message.line);
  if (message.kind === "progress") services.onProgress?.(message.kernel, message.flops, message.progress);
  if (message.kind === "listening") onListening?.(message.pipe);
  if (message.kind === "done") resolve(message.decided);
  if (message.kind === "failed") reject(services.signal.reason ?? new DiagnosticError(message.diagnostic));
}

/** Options without functions, which cannot be sent: they choose files, which is done by now. */
function plain(options: CompileOptions): CompileOptions {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => typeof value !== "function"),
  ) as unknown as CompileOptions;
}
