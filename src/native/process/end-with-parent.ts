// A process that computes without a pause sees neither its channel close nor a signal: a thread of its own sees that the parent has changed.

import { Worker } from "node:worker_threads";

const watchdogText = `
  const { workerData } = require("node:worker_threads");
  setInterval(() => { if (process.ppid !== workerData) process.kill(process.pid, "SIGKILL"); }, 250);
`;

/** Ends this process with the one that started it: at once where it waits, else within a quarter of a second. Resolves when that is watched. */
export function endWithParent(): Promise<void> {
  process.on("disconnect", () => process.exit(0));
  const watchdog = new Worker(watchdogText, { eval: true, execArgv: [], workerData: process.ppid });
  watchdog.unref();
  return new Promise((resolve) => watchdog.once("online", resolve));
}
