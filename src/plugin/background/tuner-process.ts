// The process that tunes for a dev server: orders come over IPC, decisions go to the lock and the store. When the channel is closed,
// by the server or by its death, it stops, keeps what was measured, and goes. Bundled to dist/background-tuner.js.

import { type Diagnostic, DiagnosticError } from "../../compiler/index.ts";
import { createBuildTunings } from "../build/build-tunings.ts";
import { onInterrupt } from "../build/interrupt.ts";
import { compileKernel } from "../kernel/compile/compile-kernel.ts";
import type { BuildTunings, CompileServices } from "../kernel/compile-services.ts";
import { loadBackends } from "../options/load-backends.ts";
import { awaitVisit } from "./await-visit.ts";
import type { FromTuner, TuneOrder, TunerOrder, VisitOrder } from "./protocol.ts";

const stop = new AbortController();
const busy = new Set<Promise<void>>();
let present: BuildTunings | null = null;

const say = (message: FromTuner): void => void process.send?.(message, undefined, undefined, () => undefined);

/** Returns the services for an order. Their log and progress go to the dev server as messages. */
function servicesFor({ id, options }: TunerOrder): CompileServices {
  const { signal } = stop;
  // One compiler at a time: the other cores are left to the user of the machine.
  present ??= createBuildTunings({ totalSeconds: options.totalSeconds, signal, compilers: 1 });
  const line = (level: "debug" | "info" | "warn") => (line: string) => say({ kind: "line", id, level, line });
  return {
    options,
    log: { debug: line("debug"), info: line("info"), warn: line("warn") },
    signal,
    tunings: present,
    onProgress: (kernel, flops, progress) => say({ kind: "progress", id, kernel, flops, progress }),
  };
}

async function tune({ request }: TuneOrder, services: CompileServices): Promise<readonly number[]> {
  const { origin } = await compileKernel(request, services);
  return origin === "predicted" ? [] : [0];
}

const visit = ({ id, ...order }: VisitOrder, services: CompileServices): Promise<readonly number[]> =>
  awaitVisit(order, services, (pipe) => say({ kind: "listening", id, pipe }));

async function obey(order: TunerOrder): Promise<void> {
  const { id } = order;
  try {
    await loadBackends(order.options);
    const services = servicesFor(order);
    const decided = await (order.kind === "tune" ? tune(order, services) : visit(order, services));
    say({ kind: "done", id, decided });
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

process.on("message", (order: TunerOrder) => {
  const work: Promise<void> = obey(order).finally(() => busy.delete(work));
  busy.add(work);
});
process.on("disconnect", end);
onInterrupt(stop, () => Promise.allSettled(busy));
say({ kind: "ready" });
