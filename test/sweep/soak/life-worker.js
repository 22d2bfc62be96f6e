// A worker of a life: it calls and disturbs as drawn, sends what it finds, and ends as drawn.

import { parentPort, workerData } from "node:worker_threads";
import { play } from "./caller.js";
import { endAsDrawn } from "./plan.js";

const { module, seed, plan } = workerData;
const kernels = Object.entries(await import(module));
parentPort.postMessage({ isReady: true });
endAsDrawn(plan);
await play(kernels, seed, plan, (found) => parentPort.postMessage(found));
// Its main thread terminates it.
if (plan.ending === "terminate") setInterval(() => {}, 1000);
