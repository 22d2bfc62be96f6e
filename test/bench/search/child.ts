// Work in a process of its own: this bundle again, told what to do. Its answer comes back as one message; a process that
// dies has given none.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { performRun, timeSentinel } from "./perform-run.ts";
import type { PlannedRun, RunResult } from "./run-result.ts";
import { searchTaskNamed, tuningTaskOf } from "./search-task.ts";
import { makeSentinel, writeSentinel } from "./sentinel.ts";

interface OfRun {
  readonly run: PlannedRun;
  /** Of the task's sentinel. */
  readonly path: string;
}
export type Order = OfRun &
  (
    | { readonly kind: "make-sentinel" }
    | { readonly kind: "time-sentinel" }
    | { readonly kind: "run"; readonly beforeNs: number }
  );

/** By the order's kind. */
interface Answers {
  readonly "make-sentinel": null;
  readonly "time-sentinel": number;
  readonly run: RunResult;
}

const childFlag = "--child";

async function obey(order: Order): Promise<Answers[Order["kind"]]> {
  const { run, path } = order;
  switch (order.kind) {
    case "make-sentinel":
      writeSentinel(path, makeSentinel(tuningTaskOf(searchTaskNamed(run.task), run.target)));
      return null;
    case "time-sentinel":
      return timeSentinel(run, path);
    case "run":
      return performRun(run, path, order.beforeNs);
  }
}

/** Beside its budget: no run is waited for longer, whatever a strategy does. */
const patienceMs = 900_000;

/** Rejects if the process ends without an answer; what it had to say is on stderr. */
export function inChild<K extends Order["kind"]>(order: Order & { readonly kind: K }): Promise<Answers[K]> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [childFlag, JSON.stringify(order)], {
      timeout: order.run.seconds * 1000 + patienceMs,
      killSignal: "SIGKILL",
    });
    let answer: { readonly result: Answers[K] } | null = null;
    child.on("message", (message) => {
      answer = message as { readonly result: Answers[K] };
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (answer && code === 0) resolve(answer.result);
      else reject(new Error(`the process of the run ended with ${signal ?? code}`));
    });
  });
}

/** False: this process is none of those. It ends when its parent does. */
export async function actAsChild(): Promise<boolean> {
  const at = process.argv.indexOf(childFlag);
  if (at < 0 || !process.send) return false;
  const orphaned = (): void => process.exit(1);
  process.on("disconnect", orphaned);
  const result = await obey(JSON.parse(process.argv[at + 1]!) as Order);
  process.off("disconnect", orphaned);
  process.send({ result }, () => process.disconnect());
  return true;
}
