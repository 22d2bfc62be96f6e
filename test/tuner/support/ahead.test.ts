// Work that is begun ahead of its turn: how much of it, and what comes out in which order.

import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { ahead } from "../../../src/tuner/support/ahead.ts";

/** Items that say when they are taken, and work that ends when it is told to. */
function observed(count: number) {
  const taken: number[] = [];
  const ends: ((result: string) => void)[] = [];
  const items = (function* () {
    for (let at = 0; at < count; at++) {
      taken.push(at);
      yield at;
    }
  })();
  return { taken, ends, items, work: () => new Promise<string>((resolve) => ends.push(resolve)) };
}

test("up to three are begun, none before it is asked for, and results come in order", async () => {
  const { taken, ends, items, work } = observed(5);
  const results = ahead(items, 3, work);
  await turn();
  expect(taken).toEqual([]);
  const first = results.next();
  expect(taken).toEqual([0, 1, 2]);
  for (const [at, end] of [...ends.entries()].reverse()) end(`result ${at}`);
  expect((await first).value).toBe("result 0");
  expect((await results.next()).value).toBe("result 1");
  expect(taken).toEqual([0, 1, 2, 3]);
  expect((await results.next()).value).toBe("result 2");
  ends[3]!("result 3");
  expect((await results.next()).value).toBe("result 3");
  ends[4]!("result 4");
  expect((await results.next()).value).toBe("result 4");
  expect(await results.next()).toEqual({ value: undefined, done: true });
});

test("one at a time takes the next item when it is asked for", async () => {
  const { taken, ends, items, work } = observed(2);
  const results = ahead(items, 1, work);
  const first = results.next();
  ends[0]!("done");
  await first;
  await turn();
  expect(taken).toEqual([0]);
});

test("a failure comes when its turn does, and none is lost where nobody waits for it", async () => {
  const results = ahead([1, 2, 3], 3, async (item) => {
    if (item > 1) throw new Error(`item ${item}`);
    return item;
  });
  expect((await results.next()).value).toBe(1);
  await expect(results.next()).rejects.toThrow("item 2");
});
