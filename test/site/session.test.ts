// The playground's page and its worker: the last program counts, and one that never ends is given up.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Program, Reply, Request } from "../../docs/.vitepress/playground/protocol.ts";
import { openSession } from "../../docs/.vitepress/playground/session.ts";

const program: Program = { source: "", numerics: "fast", native: "avx2" };

/** Stands for a worker: keeps what it is asked, and answers when the test says so. */
class FakeWorker {
  readonly asked: Request[] = [];
  onmessage: ((event: MessageEvent<Reply>) => void) | null = null;
  isAlive = true;
  postMessage(request: Request): void {
    this.asked.push(request);
  }
  terminate(): void {
    this.isAlive = false;
  }
  answer(id: number): void {
    this.onmessage?.({ data: { id, kind: "done", milliseconds: 1 } } as MessageEvent<Reply>);
  }
}

function open() {
  const workers: FakeWorker[] = [];
  const replies: Reply[] = [];
  const newWorker = (): Worker => {
    workers.push(new FakeWorker());
    return workers.at(-1) as unknown as Worker;
  };
  return { workers, replies, session: openSession(newWorker, (reply) => replies.push(reply)) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a worker that has answered is asked again", () => {
  const { workers, replies, session } = open();
  session.send(program, false);
  workers[0]!.answer(1);
  session.send(program, true);
  expect(workers.length).toBe(1);
  expect(workers[0]!.asked.map(({ id, run }) => [id, run])).toEqual([
    [1, false],
    [2, true],
  ]);
  expect(replies.map(({ id }) => id)).toEqual([1]);
});

test("a program under way is stopped for a newer one, and not told of any more", () => {
  const { workers, replies, session } = open();
  session.send(program, false);
  session.send(program, false);
  expect(workers.map(({ isAlive }) => isAlive)).toEqual([false, true]);
  workers[0]!.answer(1);
  workers[1]!.answer(2);
  expect(replies.map(({ id }) => id)).toEqual([2]);
});

test("a program that never ends is given up, and the next has a worker", () => {
  const { workers, replies, session } = open();
  session.send(program, true);
  vi.advanceTimersByTime(59_000);
  expect(replies).toEqual([]);
  vi.advanceTimersByTime(2_000);
  expect(replies.map(({ kind }) => kind)).toEqual(["problem", "done"]);
  expect(replies[0]).toMatchObject({ problem: { message: expect.stringContaining("endless loop") } });
  expect(workers[0]!.isAlive).toBe(false);
  session.send(program, false);
  expect(workers.length).toBe(2);
});

test("a closed page leaves no worker", () => {
  const { workers, replies, session } = open();
  session.send(program, false);
  session.close();
  vi.advanceTimersByTime(100_000);
  expect(workers[0]!.isAlive).toBe(false);
  expect(replies).toEqual([]);
});
