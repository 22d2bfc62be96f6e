import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../../src/compiler/index.ts";
import { sealEntry } from "../../../src/tuner/store/sealed-entry.ts";
import { openStore } from "../../../src/tuner/store/store.ts";
import type { StoreEntry } from "../../../src/tuner/store/store-entry.ts";
import { storeKey } from "../../../src/tuner/store/store-key.ts";
import { lockEntry } from "./sample-entry.ts";

const entry: StoreEntry = {
  kind: "schedule",
  schema: 1,
  candidate: lockEntry.candidate,
  source: lockEntry.source,
  measured: lockEntry.measured,
};
const key = sha256("a key");
const bytes = Uint8Array.from({ length: 5000 }, (_, index) => index % 251);
const digest = sha256(bytes);

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "store-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Files below a folder of the store. */
const filesIn = (folder: string): string[] =>
  readdirSync(join(directory, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, folder, name))
    .filter((name) => statSync(name).isFile());

describe("the store", () => {
  it("misses what was never put, without making a folder", async () => {
    const store = openStore(join(directory, "none"));
    expect(await store.entry(key)).toBeNull();
    expect(await store.blob(digest)).toBeNull();
    expect(store.brokenCount()).toBe(0);
    expect(readdirSync(directory)).toEqual([]);
  });

  it("gives back entries and blobs, to another process too", async () => {
    const store = openStore(directory);
    expect(await store.putEntry(key, entry)).toBeNull();
    expect(await store.putBlob(bytes)).toBeNull();
    const other = openStore(directory);
    expect(await other.entry(key)).toEqual(entry);
    expect(Uint8Array.from((await other.blob(digest))!)).toEqual(bytes);
  });

  it("keeps the newest entry of a key", async () => {
    const store = openStore(directory);
    await store.putEntry(key, { ...entry, measured: null });
    await store.putEntry(key, entry);
    expect(await store.entry(key)).toEqual(entry);
  });
});

describe("a damaged store misses, and heals with the next put", () => {
  const damages: readonly [string, (file: string) => void][] = [
    [
      "a flipped bit",
      (file) =>
        writeFileSync(
          file,
          readFileSync(file).map((byte, index) => (index === 9 ? byte ^ 1 : byte)),
        ),
    ],
    ["a file of NULs, as after a power cut", (file) => writeFileSync(file, Buffer.alloc(statSync(file).size))],
    ["a zero-length file, as after a power cut", (file) => truncateSync(file, 0)],
    ["a deleted file", (file) => rmSync(file)],
  ];

  it.each(damages)("%s", async (_, damage) => {
    const store = openStore(directory);
    await store.putBlob(bytes);
    await store.putEntry(key, entry);
    filesIn("content-v2").forEach(damage);
    expect(await store.entry(key)).toBeNull();
    expect(await store.blob(digest)).toBeNull();
    expect(await store.putEntry(key, entry)).toBeNull();
    expect(await store.putBlob(bytes)).toBeNull();
    expect(await store.entry(key)).toEqual(entry);
    expect(sha256((await store.blob(digest))!)).toBe(digest);
  });

  it.each(damages)("%s, put again before anyone read it", async (_, damage) => {
    const store = openStore(directory);
    await store.putBlob(bytes);
    filesIn("content-v2").forEach(damage);
    await store.putBlob(bytes);
    expect(sha256((await store.blob(digest))!)).toBe(digest);
  });

  it("a torn index", async () => {
    const store = openStore(directory);
    await store.putEntry(key, entry);
    for (const file of filesIn("index-v5")) truncateSync(file, statSync(file).size - 30);
    expect(await store.entry(key)).toBeNull();
    await store.putEntry(key, entry);
    expect(await store.entry(key)).toEqual(entry);
  });

  it("an entry that is not one is refused and counted", async () => {
    const store = openStore(directory);
    const { default: cacache } = await import("cacache");
    const foreign = { ...entry, candidate: { template: "t", assignment: { i: -1 } } };
    await cacache.put(directory, key, Buffer.from(JSON.stringify(foreign)), { algorithms: ["sha256"] });
    expect(await store.entry(key)).toBeNull();
    expect(store.brokenCount()).toBe(1);
  });
});

it("an entry of ours that could not be read back is a bug, not a silent miss", () => {
  const unreadable = { ...entry, candidate: { template: "t", assignment: { i: 0.5 } } };
  expect(() => openStore(directory).putEntry(key, unreadable)).toThrow("could not read this entry back");
});

it("what cacache itself writes and deletes is read alike", async () => {
  const { default: cacache } = await import("cacache");
  const store = openStore(directory);
  const sealed = sealEntry(storeKey(), key, entry);
  await cacache.put(directory, key, sealed, { algorithms: ["sha256"] });
  await cacache.put(directory, "another key", Buffer.from("{}"), { algorithms: ["sha256"] });
  expect(await store.entry(key)).toEqual(entry);
  await store.putBlob(bytes);
  expect(
    Uint8Array.from(await cacache.get.byDigest(directory, `sha256-${Buffer.from(digest, "hex").toString("base64")}`)),
  ).toEqual(bytes);
  await cacache.rm.entry(directory, key);
  expect(await store.entry(key)).toBeNull();
});

it("a store that cannot be written is a warning", async () => {
  const file = join(directory, "file");
  writeFileSync(file, "");
  const store = openStore(join(file, "store"));
  expect(await store.putEntry(key, entry)).toContain("could not be written");
  expect(await store.entry(key)).toBeNull();
});
