// The page of `tune --browser`: it says what browser it is, asks the command for candidates, has its worker run them, and sends what came of them.

import { afterMs } from "../../../native/machine/clock.ts";
import { adapterName, isSoftware, subgroupLanesOf } from "../../../native/webgpu/adapter-name.ts";
import { element } from "../../report/page/dom.ts";
import { classesOfEngine } from "../../runtime/engine.ts";
import { framedPage } from "../../runtime/framed-page.ts";
import type { Job, Next, VisitorFacts } from "../messages.ts";
import type { Done } from "./run-job.ts";

/** Longest time for one candidate, in milliseconds. */
const deadlineMs = 15_000;

const status = element("p", { role: "status", class: "status" }, "Asks what is to be measured …");
const count = element("p", {});
const insecure = element(
  "p",
  { class: "insecure" },
  "This page is neither of https nor of localhost, so that the browser gives it no WebGPU: kernels for wasm alone are measured. The command serves it over https with --cert and --key.",
);
const notes = isSecureContext ? [] : [insecure];
document.querySelector("main")!.replaceChildren(element("h1", {}, "Tuning in this browser"), status, count, ...notes);

/** The page that this one is a frame of, in a dev server; null: it stands by itself. */
const around = parent === window ? null : (parent as { UNPLUGIN_KERNEL_WEBGPU_SOFTWARE?: unknown } & Window);

async function gpuFacts(): Promise<VisitorFacts["gpu"]> {
  try {
    const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
    if (!adapter) return null;
    const { info } = adapter;
    // The kernels around a frame leave such adapters alone, unless they are asked for.
    if (around && isSoftware(info) && around.UNPLUGIN_KERNEL_WEBGPU_SOFTWARE !== "1") return null;
    return {
      vendor: info.vendor.slice(0, 100),
      name: adapterName(info).slice(0, 200),
      isSoftware: isSoftware(info),
      subgroupLanes: subgroupLanesOf(adapter),
    };
  } catch {
    return null;
  }
}

async function post<T>(path: string, body: BodyInit): Promise<T> {
  const response = await fetch(path, { method: "POST", body });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

let worker: Worker | null = null;

function startWorker(software: boolean): Worker {
  const started = new Worker("worker.js", { type: "module" });
  started.postMessage({ software });
  return started;
}

/** Has a job done. A worker that does not come back is ended, and the next job gets another. */
function done(job: Job, software: boolean): Promise<Done> {
  worker ??= startWorker(software);
  const own = worker;
  return new Promise((resolve) => {
    const end = (result: Done, isOver: boolean): void => {
      stop();
      own.onmessage = own.onerror = null;
      if (isOver) {
        own.terminate();
        worker = null;
      }
      resolve(result);
    };
    const fail = (failed: string): void => end({ ran: { failed }, outputs: [] }, true);
    const stop = afterMs(deadlineMs, () => fail(`it did not come back within ${deadlineMs / 1000} s`));
    own.onmessage = ({ data }: MessageEvent<Done>) => end(data, false);
    own.onerror = ({ message }) => fail(message || "its worker failed");
    own.postMessage(job);
  });
}

function answerOf(visit: number, { id }: Job, { ran, outputs }: Done): Blob {
  const head = new TextEncoder().encode(JSON.stringify(ran));
  const words = new DataView(new ArrayBuffer(12));
  for (const [at, word] of [visit, id, head.length].entries()) words.setUint32(at * 4, word, true);
  return new Blob([words, head, ...outputs]);
}

async function visit(): Promise<string> {
  const gpu = await gpuFacts();
  const userAgent = navigator.userAgent.replace(/[^\x20-\x7e]/g, "?").slice(0, 1000);
  const facts: VisitorFacts = { userAgent, isSecure: isSecureContext, engine: classesOfEngine()[0] ?? null, gpu };
  const { visit } = await post<{ visit: number }>("visit", JSON.stringify(facts));
  for (let ran = 0; ; ) {
    const next = await post<Next>("next", JSON.stringify({ visit }));
    if (next.kind === "done") return next.words;
    if (next.kind === "wait") continue;
    status.textContent = "Measures. Leave this page in front.";
    await post("answer", answerOf(visit, next, await done(next, gpu?.isSoftware ?? false)));
    count.textContent = `${++ran} candidates so far`;
  }
}

try {
  status.textContent = await visit();
} catch (error) {
  status.textContent = `It ended: ${(error as Error).message}`;
  status.classList.add("bad");
} finally {
  (worker as Worker | null)?.terminate();
  around?.postMessage(framedPage.ended, location.origin);
}
