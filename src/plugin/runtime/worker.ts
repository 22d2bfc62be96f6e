// The script of all workers (dist/kernel-worker.js): it says `isReady` when it has begun to listen. Its role is the name of the worker in
// browsers and `workerData` in Node, and workers that it starts have the same script.

import { threadRole } from "../../native/load/thread-role.ts";
import {
  builtin,
  type StartWorker,
  startWorker,
  type WorkerRole,
  type WorkerSource,
} from "../../native/process/start-worker.ts";
import { asyncRole } from "./async-role.ts";
import { openOnThreads } from "./open-on-threads.ts";

interface Port {
  onmessage: ((event: { readonly data: never }) => void) | null;
  postMessage(message: unknown, transfer?: Transferable[]): void;
}

/** Name of the worker: in browsers it holds the role. */
declare const name: string;

const threads = builtin("node:worker_threads");
const port = (threads?.parentPort ?? globalThis) as Port;
const { role, script } = (threads?.workerData ?? { role: name }) as { role: WorkerRole; script?: string };

const source: WorkerSource = script === undefined ? { url: () => location.href } : { text: script };
const start: StartWorker = (role, listener) => startWorker(source, role, listener);

const hear =
  role === "thread"
    ? threadRole()
    : asyncRole((reply, transfer) => port.postMessage(reply, transfer), openOnThreads(start));
port.onmessage = ({ data }) => hear(data);
port.postMessage({ isReady: true });
