// Workers of kernels, in Node and in browsers: one script for all of them (dist/kernel-worker.js), which is told its role. Part of
// emitted modules, and ours while we measure: nothing is imported but types.
//
// A page's policy may forbid scripts that are made at run time (blob:) and allow files of its own origin, so where a build can emit the
// script as a file, browsers start workers from that.

import type { Worker as NodeWorker } from "node:worker_threads";

/** Task of a worker: it computes whole calls, or helps with the loops of others. */
export type WorkerRole = "async" | "thread";

/** Script of workers: Node needs the text, browsers take the file if there is one, else the text. */
export interface WorkerSource {
  readonly text?: string;
  /** Returns the address of a file with the text. */
  url?(): string;
}

/** Receives a worker's messages and its failure. */
export interface WorkerListener {
  message(data: unknown): void;
  /** Called at most once, when the worker failed, ended, or could not be started. */
  failed(error: unknown): void;
}

/** A worker of Node or of a browser. */
export interface KernelWorker {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
  /** Keeps the process alive for the worker, until `unref` is called. */
  ref(): void;
  unref(): void;
}

/** Starts a worker, which sends `isReady` when it has begun to listen. */
export type StartWorker = (role: WorkerRole, listener: WorkerListener) => KernelWorker;

/** Returns a built-in module of Node, without an import that a bundler for browsers would stumble over. */
export const builtin = <Id extends keyof BuiltinModules>(id: Id): BuiltinModules[Id] | undefined =>
  globalThis.process?.getBuiltinModule?.(id) as BuiltinModules[Id] | undefined;

interface BuiltinModules {
  "node:child_process": typeof import("node:child_process");
  "node:fs": typeof import("node:fs");
  "node:module": typeof import("node:module");
  "node:os": typeof import("node:os");
  "node:url": typeof import("node:url");
  "node:worker_threads": typeof import("node:worker_threads");
}

/** Starts a worker. @throws Error where Node allows no worker */
export function startWorker(source: WorkerSource, role: WorkerRole, listener: WorkerListener): KernelWorker {
  const threads = builtin("node:worker_threads");
  if (!threads) return startInPage(source, role, listener);
  const workerData = { role, script: source.text };
  return listenTo(new threads.Worker(source.text!, { eval: true, execArgv: [], workerData }), listener);
}

/** Wraps a worker of Node. */
export function listenTo(worker: NodeWorker, { message, failed }: WorkerListener): KernelWorker {
  let hasFailed = false;
  const fail = (error: unknown): void => {
    if (!hasFailed) failed(error);
    hasFailed = true;
  };
  worker.on("message", message).on("error", fail);
  worker.on("exit", () => fail(new Error("it ended")));
  return {
    postMessage: (data, transfer) => worker.postMessage(data, transfer as never),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
}

const fromMemory = (script: string): string => URL.createObjectURL(new Blob([script], { type: "text/javascript" }));

/** Addresses of a file with the script: its own, and that of a script in memory which loads it, for a file of another origin. */
function addressesOfFile(url: () => string): (() => string)[] {
  const file = (): URL => new URL(url(), location.href);
  const own = (): string => {
    const { href, origin } = file();
    if (origin !== location.origin) throw new Error(`${href} is of another origin`);
    return href;
  };
  return [own, () => fromMemory(`importScripts(${JSON.stringify(file().href)})`)];
}

/**
 * Returns addresses of the script, the file first. The file may be missing, lack the headers that an isolated page asks for, or have no
 * address, as in a classic script: then the text is run from memory, if there is one.
 */
const addressesOf = ({ text, url }: WorkerSource): (() => string)[] => [
  ...(url ? addressesOfFile(url) : []),
  ...(text === undefined ? [] : [() => fromMemory(text)]),
];

/** Milliseconds that a worker waits for its turn to start one: a realm whose `new Worker` never returns keeps its turn. */
const turnMs = 1000;

/**
 * Starts a worker of a page at once, and a worker of a worker while no other worker of the origin starts one. In Firefox, while its debugger
 * or a driver is attached, `new Worker` may never return in a worker, above all where two workers start one at the same time: of the new
 * worker and the one that waits for it, a single one is woken.
 */
function startAlone(start: () => void): void {
  const locks = globalThis.document ? undefined : globalThis.navigator?.locks;
  if (locks) locks.request("unplugin-kernel.start-worker", { signal: AbortSignal.timeout(turnMs) }, start).catch(start);
  else start();
}

/** Starts from the first address that the page allows. Messages posted before the worker is ready are kept until then. */
function startInPage(source: WorkerSource, role: WorkerRole, listener: WorkerListener): KernelWorker {
  const addresses = addressesOf(source);
  let worker: Worker | null = null;
  let state: "starting" | "ready" | "failed" = "starting";
  let kept: [unknown, Transferable[]][] = [];
  const become = (next: "ready" | "failed"): void => {
    state = next;
    kept = [];
  };
  const hear = ({ data }: MessageEvent): void => {
    if (state === "starting") for (const [message, transfer] of kept) worker!.postMessage(message, transfer);
    become("ready");
    listener.message(data);
  };
  const fail = (error: unknown): void => {
    worker?.terminate();
    if (state === "starting" && addresses.length > 0) start();
    else if (state !== "failed") {
      become("failed");
      listener.failed(error);
    }
  };
  function start(): void {
    try {
      // Taken before anything else fails: a worklet has no Worker at all.
      const address = addresses.shift()!();
      worker = new Worker(address, { name: role });
      worker.onmessage = hear;
      worker.onerror = fail;
    } catch (error) {
      Promise.resolve(error).then(fail);
    }
  }
  startAlone(start);
  return {
    postMessage(message, transfer = []) {
      if (state === "ready") worker!.postMessage(message, [...transfer]);
      if (state === "starting") kept.push([message, [...transfer]]);
    },
    ref() {},
    unref() {},
  };
}
