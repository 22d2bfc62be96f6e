// What goes from a store for its size, by a store that was written as builds write it.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sha256 } from "../../../src/compiler/index.ts";
import { blobsAt, putBlobs, textBlob } from "../../../src/tuner/store/blobs.ts";
import { garbage, removeItems, totalBytes } from "../../../src/tuner/store/garbage.ts";
import { noteUse } from "../../../src/tuner/store/last-use.ts";
import { leftovers, removeLeftovers } from "../../../src/tuner/store/leftovers.ts";
import { bucketOf } from "../../../src/tuner/store/read-cacache.ts";
import { openStore } from "../../../src/tuner/store/store.ts";
import { storedItems } from "../../../src/tuner/store/store-contents.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const folder = (): string => mkdtempSync(join(tmpdir(), "garbage-"));

/** Kernels a, b and c of 1,000 bytes each, put in this order, a day between them; and a decision. */
async function threeKernels() {
  const directory = folder();
  const store = openStore(directory);
  const now = Date.now();
  for (const [at, name] of ["a", "b", "c"].entries()) {
    await putBlobs(store, sha256(name), { addon: textBlob(name.repeat(1000)) });
    const time = (now - (3 - at) * dayMs) / 1000;
    utimesSync(bucketOf(directory, sha256(name)), time, time);
  }
  const schedule = { kind: "schedule", schema: 1, source: sha256("source"), measured: null } as const;
  await store.putEntry(sha256("schedule"), { ...schedule, candidate: { template: "C tiled", assignment: {} } });
  // The times of use are those of the buckets; those of the puts, a moment ago, would hide them.
  const items = (await storedItems(directory)).map((item) =>
    item.kind === "artifact" ? { ...item, used: statSync(bucketOf(directory, item.key)).mtimeMs } : item,
  );
  return { directory, store, items, now: Date.now() };
}

const kernelsIn = async (store: ReturnType<typeof openStore>): Promise<string> => {
  const there = await Promise.all(
    ["a", "b", "c"].map(async (name) => ((await blobsAt(store, sha256(name))) ? name : "")),
  );
  return there.join("");
};

test("a store that fits keeps all", async () => {
  const { items, now } = await threeKernels();
  expect(garbage(items, { usedBefore: 0, now, mostBytes: totalBytes(items) })).toEqual([]);
});

test.each([
  [2600, "bc"],
  [1500, "c"],
  [0, ""],
])("of a store that may have %i bytes of kernels, those stay that were used last: %s", async (most, left) => {
  const { directory, store, items, now } = await threeKernels();
  const decision = items.find(({ kind }) => kind === "schedule")!.bytes;
  const removed = garbage(items, { usedBefore: 0, now, mostBytes: most + decision });
  await removeItems(directory, items, removed);
  expect(await kernelsIn(store)).toBe(left);
  expect(await store.entry(sha256("schedule"))).not.toBeNull();
});

test("a use brings a kernel to the front, once a day", async () => {
  const { directory, now } = await threeKernels();
  const bucket = bucketOf(directory, sha256("a"));
  const mtime = (): number => Math.round(statSync(bucket).mtimeMs);
  noteUse(directory, sha256("a"), now);
  expect(mtime()).toBe(now);
  noteUse(directory, sha256("a"), now + hourMs);
  expect(mtime()).toBe(now);
  noteUse(directory, sha256("a"), now + dayMs + 1000);
  expect(mtime()).toBe(now + dayMs + 1000);
  // A key that is not there, as in a store that somebody emptied.
  expect(() => noteUse(directory, sha256("none"), now)).not.toThrow();
});

test("while anything cannot be read, nothing goes for its size: its modules would stay", async () => {
  const { directory, store, now } = await threeKernels();
  mkdirSync(join(directory, "index-v5", "ff", "ff", "a-folder-in-place-of-a-file"), { recursive: true });
  const items = await storedItems(directory);
  expect(items.filter(({ kind }) => kind === "unreadable")).toHaveLength(1);
  await removeItems(directory, items, garbage(items, { usedBefore: 0, now, mostBytes: 0 }));
  expect(await kernelsIn(store)).toBe("abc");
  // What cannot be read goes for its age no more than for its size: nobody knows what it is.
  expect(garbage(items, { usedBefore: now + dayMs, now: now + dayMs, mostBytes: 0 }).map(({ kind }) => kind)).toEqual(
    Array(3).fill("artifact"),
  );
});

test("what is put again while the list is old stays", async () => {
  const { directory, store, items, now } = await threeKernels();
  const removed = garbage(items, { usedBefore: now, now, mostBytes: 0 });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await putBlobs(store, sha256("b"), { addon: textBlob("b".repeat(1000)) });
  await removeItems(directory, items, removed);
  expect(await kernelsIn(store)).toBe("b");
});

test("a line of the index with the right hash that is no line of cacache's is left out", async () => {
  const { directory, store } = await threeKernels();
  const { createHash } = await import("node:crypto");
  for (const json of ["null", "7", "{", '{"key":{}}', '{"key":"x","integrity":7,"time":"now"}'])
    appendFileSync(bucketOf(directory, sha256("a")), `\n${createHash("sha1").update(json).digest("hex")}\t${json}`);
  expect(await kernelsIn(store)).toBe("abc");
  expect(await storedItems(directory)).toHaveLength(7);
});

/** Files of a store: name → age in hours. */
function oldFiles(directory: string, ages: Readonly<Record<string, number>>): void {
  for (const [name, hours] of Object.entries(ages)) {
    const path = join(directory, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, name);
    const time = (Date.now() - hours * hourMs) / 1000;
    utimesSync(path, time, time);
  }
}

test("leftovers go when they are older than an hour: halves of puts and files, and addons that no kernel names", async () => {
  const { directory } = await threeKernels();
  const named = `addons/gemm-${sha256("a".repeat(1000)).slice(0, 16)}.node`;
  oldFiles(directory, {
    "tmp/half-of-a-put": 2,
    "tmp/young": 0.9,
    "limits-1.json.4f.tmp": 2,
    "limits-2.json.4f.tmp": 0.5,
    "records.jsonl": 900,
    "addons/gemm-0123456789abcdef.node": 2,
    "addons/gemm-0123456789abcdee.node": 0.9,
    "addons/gemm-0123456789abcdef.node.77.tmp": 2,
    [named]: 900,
    "addons/a-file-of-somebody": 900,
  });
  const items = await storedItems(directory);
  const found = leftovers(directory, items, Date.now()).map(({ path }) => path.slice(directory.length + 1));
  const gone = ["addons/gemm-0123456789abcdef.node", "addons/gemm-0123456789abcdef.node.77.tmp"];
  expect(found.sort()).toEqual([...gone, "limits-1.json.4f.tmp", "tmp/half-of-a-put"].sort());
  expect(removeLeftovers(leftovers(directory, items, Date.now()))).toEqual([]);
  expect(readdirSync(join(directory, "tmp"))).toEqual(["young"]);
  expect(existsSync(join(directory, named))).toBe(true);
});

test("addons stay while an item cannot be read: it may name them", async () => {
  const { directory } = await threeKernels();
  mkdirSync(join(directory, "index-v5", "ff", "ff", "a-folder-in-place-of-a-file"), { recursive: true });
  oldFiles(directory, { "addons/gemm-0123456789abcdef.node": 2, "tmp/half-of-a-put": 2 });
  const found = leftovers(directory, await storedItems(directory), Date.now());
  expect(found.map(({ path }) => path.slice(directory.length + 1))).toEqual(["tmp/half-of-a-put"]);
});
