// A browser as a machine: work is handed out and answered, a page that goes away loses it, and a page that is done keeps nobody waiting.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Answer } from "../../../src/plugin/visitors/decode.ts";
import type { Job } from "../../../src/plugin/visitors/messages.ts";
import { BrowserGone, createPageMachine, type PageMachine } from "../../../src/plugin/visitors/page-machine.ts";

const patience = { askAgain: 1_000, gone: 3_000, farewell: 500 };
const work: Omit<Job, "id" | "kind"> = {
  task: 0,
  preparation: null,
  kernel: { code: { kind: "wasm", bytes: "", offsets: [], sharing: null }, tensors: [] },
  samples: 1,
  sampleMs: 1,
};
const answerTo = (job: number): Answer => ({ visit: 0, job, ran: { ns: [1] }, outputs: new Uint8Array() });

let machine: PageMachine;
beforeEach(() => {
  vi.useFakeTimers();
  machine = createPageMachine("a browser", patience);
});
afterEach(() => {
  vi.useRealTimers();
});

/** Asks for work, and is told so. */
async function asks(): Promise<string> {
  const next = await machine.next();
  machine.told(next);
  return next.kind;
}

test("work is handed to a page that asks, before or after, and its answers are taken once", async () => {
  const asked = machine.next();
  const first = machine.run(work);
  expect(await asked).toMatchObject({ kind: "run", id: 0 });
  const second = machine.run(work);
  expect(await machine.next()).toMatchObject({ kind: "run", id: 1 });
  expect([machine.take(answerTo(1)), machine.take(answerTo(0)), machine.take(answerTo(0))]).toEqual([
    true,
    true,
    false,
  ]);
  expect(await Promise.all([first, second])).toEqual([answerTo(0), answerTo(1)]);
});

test("a page that asks in vain is told to ask again, at once where it was loaded anew", async () => {
  const asked = asks();
  await vi.advanceTimersByTimeAsync(patience.askAgain);
  expect(await asked).toBe("wait");
  const forgotten = machine.next();
  void machine.next();
  expect(await forgotten).toEqual({ kind: "wait" });
});

test("a page that does not come back loses its work, and gets no more", async () => {
  const lost = [machine.run(work), machine.run(work)].map((run) => run.catch((error: unknown) => error));
  await asks();
  await vi.advanceTimersByTimeAsync(patience.gone);
  for (const error of await Promise.all(lost)) expect(error).toBeInstanceOf(BrowserGone);
  await expect(machine.run(work)).rejects.toBeInstanceOf(BrowserGone);
});

test.each(["before", "after"])("a page that asks %s the end is told of it, and nothing is waited for", async (when) => {
  const early = when === "before" ? asks() : null;
  const ended = machine.finish("done");
  expect(await (early ?? asks())).toBe("done");
  await ended;
  expect(vi.getTimerCount()).toBe(0);
});

test("a page that never learns of the end is waited for a little while", async () => {
  const ended = machine.finish("done");
  await vi.advanceTimersByTimeAsync(patience.farewell);
  await ended;
  expect(vi.getTimerCount()).toBe(0);
});
