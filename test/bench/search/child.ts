// Work in a process of its own: this bundle again, told what to do by a message. Its answer is one message too; a process
// that dies has given none.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { performRun } from "./perform-run.ts";
import type { Place, PlannedRun, RunResult } from "./run-result.ts";
import { settle } from "./settle.ts";
import type { SettledTimes } from "./settled-times.ts";

export type Order =
  | { readonly kind: "run"; readonly run: PlannedRun }
  | { readonly kind: "settle"; readonly place: Place; readonly runs: readonly RunResult[] };

/** By the order's kind. */
interface Answers {
  readonly run: RunResult;
  readonly settle: SettledTimes;
}

const childFlag = "--child";

const obey = (order: Order): Promise<Answers[Order["kind"]]> =>
  order.kind === "run" ? performRun(order.run) : settle(order.place, order.runs);

/** Longest time that a process is waited for, as a strategy may hang. */
const patienceMs = 1_800_000;

/** Rejects if the process ends without an answer; what it had to say is on stderr. */
export function inChild<K extends Order["kind"]>(order: Order & { readonly kind: K }): Promise<Answers[K]> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [childFlag], { timeout: patienceMs, killSignal: "SIGKILL" });
    let answer: { readonly result: Answers[K] } | null = null;
    child.on("message", (message) => {
      answer = message as { readonly result: Answers[K] };
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (answer && code === 0) resolve(answer.result);
      else reject(new Error(`the process ended with ${signal ?? code}`));
    });
    child.send(order);
  });
}

/** False: this process is none of those. It ends when its parent does. */
export async function actAsChild(): Promise<boolean> {
  if (!process.argv.includes(childFlag) || !process.send) return false;
  const orphaned = (): void => process.exit(1);
  process.on("disconnect", orphaned);
  const order = await new Promise<Order>((resolve) => process.once("message", (message) => resolve(message as Order)));
  const result = await obey(order);
  process.off("disconnect", orphaned);
  process.send({ result }, () => process.disconnect());
  return true;
}
