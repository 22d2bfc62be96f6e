// The measuring process: answers the client's messages one at a time, and goes when the client goes. Bundled to
// dist/native/worker.js.

import { Worker } from "node:worker_threads";
import { createFlush } from "../harness/flush-caches.ts";
import { type Core, createProbe } from "../harness/probe.ts";
import { createNativeLoader } from "./load-native-kernel.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";
import { createSession } from "./session.ts";

/** Each WASM module reserves some 10 GB of addresses until it is collected, and collecting costs a few milliseconds. */
const runsBetweenCollections = 32;

/** A kernel that hangs keeps us from seeing the client go; this thread sees that our parent process changed. */
const watchdogText = `
  const { workerData } = require("node:worker_threads");
  setInterval(() => { if (process.ppid !== workerData) process.kill(process.pid, "SIGKILL"); }, 250);
`;

let flush: (() => void) | null = null;
let core: Core | null = null;
const session = createSession(createNativeLoader(), {
  flush() {
    flush ??= createFlush();
    flush();
  },
  get core() {
    core ??= createProbe();
    return core;
  },
});
let runs = 0;

function answer(message: FromWorker): void {
  process.send?.(message);
}

function collectNowAndThen(): void {
  runs += 1;
  if (runs % runsBetweenCollections === 0) globalThis.gc?.();
}

process.on("disconnect", () => process.exit(0));
process.on("message", (message: ToWorker) => {
  const outcome = session.handle(message);
  if (outcome && "id" in message) answer({ kind: "outcome", id: message.id, outcome });
  if (message.kind === "run") collectNowAndThen();
});
// The first candidate may hang: nothing is taken on before the watchdog runs.
const watchdog = new Worker(watchdogText, { eval: true, execArgv: [], workerData: process.ppid });
watchdog.once("online", () => answer({ kind: "ready" }));
watchdog.unref();
