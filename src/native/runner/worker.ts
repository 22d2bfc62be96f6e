// The measuring process: answers the client's messages one at a time, and goes when the client goes. While it measures it
// holds the machine's lock, unless it was started with "--shared". Bundled to dist/native/worker.js.

import { setTimeout as sleep } from "node:timers/promises";
import { createFlush } from "../harness/flush-caches.ts";
import { type Core, createProbe } from "../harness/probe.ts";
import { pauseForOthersMs } from "../lock/machine-lock.ts";
import { createMeasureLock } from "../lock/measure-lock.ts";
import { endWithParent } from "../process/end-with-parent.ts";
import { createNativeLoader } from "./load-native-kernel.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";
import { createMeasuringSession } from "./session.ts";
import { wasmLoader } from "./wasm-loader.ts";

/**
 * Modules loaded between collections: each reserves some 10 GB of addresses until it is collected, which costs a few
 * milliseconds.
 */
const loadsBetweenCollections = 32;

let flush: (() => void) | null = null;
let core: Core | null = null;
const session = createMeasuringSession([createNativeLoader(), wasmLoader], {
  flush() {
    flush ??= createFlush();
    flush();
  },
  get core() {
    core ??= createProbe();
    return core;
  },
});
let loads = 0;

/** Sends a message. Resolves when it is written, as the work that follows may take long, or never end. */
const answer = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => process.send?.(message, () => resolve()));

function collectNowAndThen(): void {
  loads += 1;
  if (loads % loadsBetweenCollections === 0) globalThis.gc?.();
}

async function handle(message: ToWorker): Promise<void> {
  if (!("id" in message)) return void session.handle(message);
  await alone(async () => {
    const preparing = session.prepare(message);
    if (preparing) await preparing;
    await answer({ kind: "begun", id: message.id });
    const handled = session.handle(message);
    // Kernels of this CPU are answered at once: a turn of the event loop comes after the answer, not before.
    const outcome = handled instanceof Promise ? await handled : handled;
    if (outcome) void answer({ kind: "outcome", id: message.id, outcome });
  });
  if (message.candidate) collectNowAndThen();
}

const isShared = process.argv.includes("--shared");
const [directory = null] = process.argv.slice(2).filter((it) => !it.startsWith("--"));
const lock = createMeasureLock({ directory, onNotice: (notice) => void answer({ kind: "notice", ...notice }) });
const turnMs = 500;
let turnStart = performance.now();

/**
 * Measures under the machine's lock. Candidates come without a gap, so after many the lock is left to other builds for a
 * moment.
 */
async function alone(measure: () => Promise<void>): Promise<void> {
  if (isShared) return measure();
  if (performance.now() - turnStart > turnMs) {
    await sleep(pauseForOthersMs);
    turnStart = performance.now();
  }
  return lock.alone(measure);
}

/** Chain of handled messages. An error of ours rejects it, and so ends the process. */
let handled = Promise.resolve();
process.on("message", (message: ToWorker) => {
  handled = handled.then(() => handle(message));
});
// The first candidate may hang: no message is handled before this process is sure to end.
void endWithParent().then(() => answer({ kind: "ready" }));
