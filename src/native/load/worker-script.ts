// Workers of emitted modules and of our own, in Node and in browsers: one script for all of them, which is told its role.
//
// A page's policy may forbid scripts that are made at run time (blob:) and allow files of its own origin, so where a build can emit the
// script as a file, browsers start workers from that.

/** What a worker does, by its role: bodies of functions that set `port.onmessage`; they may call `newWorker(role)` and `builtin(id)`. */
export type WorkerRoles = Readonly<Record<string, string>>;

/** Indentation and comments are not for those who download it. */
const lean = (text: string): string => text.replace(/^\s*(\/\/.*)?\n/gm, "").replace(/^\s+/gm, "");

/**
 * The script: says `isReady` when it has begun to listen. Its role is the name of the worker in browsers and `workerData` in Node,
 * and workers that it starts have the same script.
 */
export const workerScript = (roles: WorkerRoles): string => {
  const functions = Object.entries(roles).map(([role, body]) => `${role}() {\n${body}\n},\n`);
  return lean(`"use strict";
(() => {
  const builtin = (id) => globalThis.process?.getBuiltinModule?.(id);
  const threads = builtin("node:worker_threads");
  const port = threads?.parentPort ?? globalThis;
  const newWorker = (role) => {
    if (!threads) return new Worker(location.href, { name: role });
    const { script } = threads.workerData;
    return new threads.Worker(script, { eval: true, execArgv: [], workerData: { role, script } });
  };
  const roles = {
${functions.join("")}  };
  roles[threads ? threads.workerData.role : name]();
  port.postMessage({ isReady: true });
})();
`);
};

/**
 * Text that defines `newWorker(role)` where kernels are called; expects `workerText`, the script, and `workerUrl()`, the address of a
 * file with it: one of the two may be null. In Node it is a Worker. In browsers it has the first that the page lets start, and what it is
 * told before is kept; without any it is told `onerror`.
 */
export const newWorkerText = `
  function newWorker(role) {
    const threads = globalThis.process?.getBuiltinModule?.("node:worker_threads");
    if (!threads) return newPageWorker(role);
    return new threads.Worker(workerText, { eval: true, execArgv: [], workerData: { role, script: workerText } });
  }
  // The file may be another origin's, not be there, or lack the headers that an isolated page asks for: then its text is run from memory.
  function workerAddresses() {
    const fromMemory = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    if (workerUrl === null) return [() => fromMemory(workerText)];
    const { href, origin } = new URL(workerUrl(), location.href);
    const file = origin === location.origin ? [() => href] : [];
    return [...file, () => fromMemory("importScripts(" + JSON.stringify(href) + ")")];
  }
  function newPageWorker(role) {
    const addresses = workerAddresses();
    let worker = null, state = "starting", kept = [];
    const it = {
      onmessage: null,
      onerror: null,
      postMessage(...message) {
        if (state === "ready") worker.postMessage(...message);
        if (state === "starting") kept.push(message);
      },
    };
    const hear = (event) => {
      if (state === "starting") kept.forEach((message) => worker.postMessage(...message));
      [state, kept] = ["ready", []];
      it.onmessage?.(event);
    };
    const fail = (error) => {
      worker?.terminate();
      if (state === "starting" && addresses.length > 0) return start();
      [state, kept] = ["failed", []];
      it.onerror?.(error);
    };
    function start() {
      try {
        worker = new Worker(addresses.shift()(), { name: role });
        worker.onmessage = hear;
        worker.onerror = fail;
      } catch (error) {
        Promise.resolve(error).then(fail);
      }
    }
    start();
    return it;
  }
`;
