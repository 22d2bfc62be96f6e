// The process that tunes for a dev server: orders come over IPC, decisions go to the lock and the store. When the channel is closed,
// by the server or by its death, it stops, keeps what was measured, and goes. Bundled to dist/background-tuner.js.

import { type Diagnostic, DiagnosticError } from "../../compiler/index.ts";
import { createBuildTunings } from "../build/build-tunings.ts";
import { onInterrupt } from "../build/interrupt.ts";
import { compileKernel } from "../kernel/compile/compile-kernel.ts";
import type { BuildTunings } from "../kernel/compile-services.ts";
import { loadBackends } from "../options/load-backends.ts";
import type { FromTuner, TuneOrder } from "./protocol.ts";

const stop = new AbortController();
const busy = new Set<Promise<void>>();
let tunings: BuildTunings | null = null;

const say = (message: FromTuner): void => void process.send?.(message, undefined, undefined, () => undefined);

async function tune({ id, request, options }: TuneOrder): Promise<void> {
  const { signal } = stop;
  // One compiler at a time: the other cores are left to the user of the machine.
  tunings ??= createBuildTunings({ totalSeconds: options.totalSeconds, signal, compilers: 1 });
  const line = (level: "debug" | "info" | "warn") => (line: string) => say({ kind: "line", id, level, line });
  const log = { debug: line("debug"), info: line("info"), warn: line("warn") };
  try {
    await loadBackends(options);
    const { origin } = await compileKernel(request, {
      options,
      log,
      signal,
      tunings,
      onProgress: (kernel, flops, progress) => say({ kind: "progress", id, kernel, flops, progress }),
    });
    say({ kind: "done", id, isDecided: origin !== "predicted" });
  } catch (error) {
    say({ kind: "failed", id, diagnostic: diagnosticOf(error) });
  }
}

/** Diagnostic of an error: all but what a signal has ended is one already. */
const diagnosticOf = (error: unknown): Diagnostic =>
  error instanceof DiagnosticError
    ? error.diagnostic
    : { code: "kernel.machine", message: String(error), loc: null, hint: null, detail: null };

async function end(): Promise<void> {
  stop.abort(new Error("the dev server is closed"));
  await Promise.allSettled(busy);
  process.exit(0);
}

process.on("message", (order: TuneOrder) => {
  const work: Promise<void> = tune(order).finally(() => busy.delete(work));
  busy.add(work);
});
process.on("disconnect", end);
onInterrupt(stop, () => Promise.allSettled(busy));
say({ kind: "ready" });
