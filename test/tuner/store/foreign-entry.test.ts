// Entries that this user's builds did not write: what the store gives of them, and what it calls them.

import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import cacache from "cacache";
import { beforeEach, describe, expect, test } from "vitest";
import { sha256 } from "../../../src/compiler/index.ts";
import { blobsAt, putBlobs, textBlob } from "../../../src/tuner/store/blobs.ts";
import { foreignItems } from "../../../src/tuner/store/foreign-items.ts";
import { sealEntry } from "../../../src/tuner/store/sealed-entry.ts";
import { openStore } from "../../../src/tuner/store/store.ts";
import { storedDecisions } from "../../../src/tuner/store/store-contents.ts";
import type { ScheduleEntry } from "../../../src/tuner/store/store-entry.ts";
import { storeKey } from "../../../src/tuner/store/store-key.ts";
import { lockEntry } from "./sample-entry.ts";

const { candidate, source, measured } = lockEntry;
const schedule: ScheduleEntry = { kind: "schedule", schema: 1, candidate, source, measured };
const key = sha256("a key");
const others = () => new Uint8Array(32).fill(7);

let directory = "";
let foreign: string[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "store-"));
  foreign = [];
});

const ours = () => openStore(directory, { onForeign: (found) => foreign.push(found) });
const put = (bytes: Buffer | string, under = key) =>
  cacache.put(directory, under, Buffer.from(bytes), { algorithms: ["sha256"] });

/** Bucket of a key in cacache's index. */
function bucketOf(name: string): string {
  const hash = sha256(name);
  return join(directory, "index-v5", hash.slice(0, 2), hash.slice(2, 4), hash.slice(4));
}

/** Appends a line with a right hash to the index, as a forger would. */
function forgeLine(json: string): void {
  const bucket = bucketOf(key);
  mkdirSync(dirname(bucket), { recursive: true });
  appendFileSync(bucket, `\n${createHash("sha1").update(json).digest("hex")}\t${json}`);
}

describe("a decision", () => {
  const sealed = sealEntry(storeKey(), key, schedule).toString();
  const forged = sealed.replace(/"medianNs":[^,]+/, '"medianNs":1');
  test.each<[string, string]>([
    ["of the version before, without a code", JSON.stringify(schedule)],
    ["of another user", sealEntry(others(), key, schedule).toString()],
    ["of ours that was moved here from another key", sealEntry(storeKey(), sha256("other"), schedule).toString()],
  ])("%s is not ours, and is given as data", async (_, text) => {
    await put(text);
    expect(await ours().entry(key)).toBeNull();
    expect(foreign).toEqual([key]);
    expect(await ours().foreignSchedule(key)).toEqual(schedule);
    expect(await foreignItems(directory)).toEqual([{ what: "decision", key }]);
  });

  test("of ours that was edited is not ours any more", async () => {
    await put(forged);
    expect(await ours().entry(key)).toBeNull();
    expect(await ours().foreignSchedule(key)).toMatchObject({ measured: { medianNs: 1 } });
  });

  test.each<[string, string]>([
    ["two codes", `${sealed}${"0".repeat(64)}\n`],
    ["a code that is none", sealed.replace(/\n[0-9a-f]{64}\n$/, "\nright\n")],
    ["a field too many", JSON.stringify({ ...schedule, extra: 1 })],
  ])("with %s is nothing at all", async (_, text) => {
    await put(text);
    const store = ours();
    expect(await store.entry(key)).toBeNull();
    expect(await store.foreignSchedule(key)).toBeNull();
    expect(store.brokenCount()).toBe(2);
    expect(await foreignItems(directory)).toEqual([{ what: "entry of no known form", key }]);
  });

  test("of ours is no foreign one", async () => {
    await ours().putEntry(key, schedule);
    expect(await ours().entry(key)).toEqual(schedule);
    expect(await ours().foreignSchedule(key)).toBeNull();
    expect([foreign, await foreignItems(directory)]).toEqual([[], []]);
  });

  test("of others is left out of what is shared, and its key is told", async () => {
    const other = sha256("other");
    await ours().putEntry(key, schedule);
    await openStore(directory, { secret: others }).putEntry(other, schedule);
    const leftOut: string[] = [];
    expect(await storedDecisions(directory, (name) => leftOut.push(name))).toEqual([
      { key, candidate, source, measured },
    ]);
    expect(leftOut).toEqual([other]);
  });
});

test("built kernels of others are never read, and ours take their place", async () => {
  await putBlobs(openStore(directory, { secret: others }), key, { wasm: textBlob("theirs") });
  expect(await blobsAt(ours(), key)).toBeNull();
  expect(await ours().foreignSchedule(key)).toBeNull();
  expect(await foreignItems(directory)).toEqual([{ what: "wasm", key }]);
  await putBlobs(ours(), key, { wasm: textBlob("ours") });
  expect(await blobsAt(ours(), key)).toEqual({ wasm: textBlob("ours") });
  expect(await foreignItems(directory)).toEqual([]);
});

describe("a line of the index with a right hash, but forged", () => {
  test.each(["null", "7", "[]", '"text"', "{ no JSON", `{"key":7}`])("%s is passed over", async (json) => {
    await ours().putEntry(key, schedule);
    forgeLine(json);
    expect(await ours().entry(key)).toEqual(schedule);
    expect(await foreignItems(directory)).toEqual([{ what: "index line", key: null }]);
  });

  test.each(["7", "null", "{}", '{"toString":1}', '["sha256-x"]'])("with integrity %s is a miss", async (integrity) => {
    await ours().putEntry(key, schedule);
    forgeLine(`{"key":"${key}","integrity":${integrity}}`);
    expect(await ours().entry(key)).toBeNull();
    await ours().putEntry(key, schedule);
    expect(await ours().entry(key)).toEqual(schedule);
  });

  test("that leads our key to other content of ours is a miss", async () => {
    const other = sha256("other");
    await ours().putEntry(key, schedule);
    await ours().putEntry(other, { ...schedule, measured: null });
    const line = readFileSync(bucketOf(other), "utf8").split("\t")[1]!;
    forgeLine(line.replace(other, key));
    expect(await ours().entry(key)).toBeNull();
    expect(foreign).toEqual([key]);
  });
});

test("a store that cannot be read has nothing foreign to name but itself, and says so to who passes decisions on", async () => {
  const index = join(directory, "index-v5");
  writeFileSync(index, "a file in the folder's place");
  expect(await foreignItems(directory)).toEqual([{ what: "entry of no known form", key: index }]);
  const unreadable: string[] = [];
  expect(await storedDecisions(directory, undefined, (path) => unreadable.push(path))).toEqual([]);
  expect(unreadable).toEqual([index]);
});
