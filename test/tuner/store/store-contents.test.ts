// Contents of a store, and the entries that can be removed, by a store that was written as builds write it.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import cacache from "cacache";
import { expect, test } from "vitest";
import { sha256 } from "../../../src/compiler/index.ts";
import { blobsAt, putBlobs, textBlob } from "../../../src/tuner/store/blobs.ts";
import { garbage, removeItems } from "../../../src/tuner/store/garbage.ts";
import { openStore } from "../../../src/tuner/store/store.ts";
import { storedItems } from "../../../src/tuner/store/store-contents.ts";

const key = (name: string): string => sha256(name);

/** Two kernels that share a module, a schedule, and a blob that no artifact names yet. */
async function filledStore() {
  const directory = mkdtempSync(join(tmpdir(), "store-contents-"));
  const store = openStore(directory);
  await putBlobs(store, key("old"), { wasm: textBlob("shared"), facts: textBlob("old facts") });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const between = Date.now();
  await putBlobs(store, key("new"), { wasm: textBlob("shared"), facts: textBlob("new facts") });
  const schedule = { kind: "schedule", schema: 1, source: key("source"), measured: null } as const;
  await store.putEntry(key("schedule"), { ...schedule, candidate: { template: "C tiled", assignment: {} } });
  await store.putBlob(textBlob("of a build that is under way"));
  return { directory, store, between };
}

test("an empty store has nothing", async () => {
  expect(await storedItems(join(tmpdir(), "there-is-no-such-store"))).toEqual([]);
});

test("items have kinds, sizes, and what they name", async () => {
  const { directory } = await filledStore();
  const items = await storedItems(directory);
  const count = (kind: string): number => items.filter((item) => item.kind === kind).length;
  expect([count("schedule"), count("artifact"), count("blob"), count("broken")]).toEqual([1, 2, 4, 0]);
  expect(items.find((item) => item.key === `blob:${sha256("old facts")}`)).toMatchObject({ kind: "blob", bytes: 9 });
  expect(items.find((item) => item.key === key("new"))?.names).toContain(`blob:${sha256("shared")}`);
});

test("what is old goes with the blobs that nobody else names; decisions and what is under way stay", async () => {
  const { directory, store, between } = await filledStore();
  const items = await storedItems(directory);
  const removed = garbage(items, { usedBefore: between, now: Date.now() });
  expect(removed.map((item) => item.key).sort()).toEqual([`blob:${sha256("old facts")}`, key("old")].sort());
  await removeItems(directory, items, removed);
  expect(await blobsAt(store, key("old"))).toBe(null);
  expect(await blobsAt(store, key("new"))).toEqual({ wasm: textBlob("shared"), facts: textBlob("new facts") });
  expect(await store.entry(key("schedule"))).not.toBe(null);
  expect(await store.blob(sha256("of a build that is under way"))).not.toBe(null);
  expect(await store.blob(sha256("old facts"))).toBe(null);
});

const pathOf = async (directory: string, name: string): Promise<string> =>
  (await cacache.get.info(directory, key(name)))!.path;

test("what is gone or has other bytes goes, whatever its age", async () => {
  const { directory } = await filledStore();
  writeFileSync(await pathOf(directory, "new"), "{");
  rmSync(await pathOf(directory, "schedule"));
  const items = await storedItems(directory);
  expect(
    garbage(items, { usedBefore: 0, now: Date.now() })
      .map((item) => item.key)
      .sort(),
  ).toEqual([key("new"), key("schedule")].sort());
});

test("what the system does not let us read stays, and all blobs with it", async () => {
  const { directory, between } = await filledStore();
  const path = await pathOf(directory, "schedule");
  rmSync(path);
  // A folder in place of the file: reading fails, and the file is not gone.
  mkdirSync(path);
  const items = await storedItems(directory);
  expect(items.find((item) => item.key === key("schedule"))).toMatchObject({ kind: "unreadable" });
  expect(garbage(items, { usedBefore: between, now: Date.now() }).map((item) => item.key)).toEqual([key("old")]);
});

test("what another version wrote stays", async () => {
  const { directory } = await filledStore();
  await cacache.put(directory, key("later"), JSON.stringify({ kind: "schedule", schema: 99 }), {
    algorithms: ["sha256"],
  });
  const items = await storedItems(directory);
  expect(items.find((item) => item.key === key("later"))).toMatchObject({ kind: "unreadable" });
  expect(garbage(items, { usedBefore: Date.now() + 1e9, now: Date.now() + 1e9 }).map((item) => item.key)).not.toContain(
    key("later"),
  );
});

/** A process may open fewer files than the store has: `ulimit -n` stands for a machine's hard limit. */
test.skipIf(process.platform === "win32")(
  "more decisions than a process may open files are all found, and stay",
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "store-contents-"));
    const store = openStore(directory);
    const schedule = { kind: "schedule", schema: 1, source: key("source"), measured: null } as const;
    const count = 300;
    for (let at = 0; at < count; at++) {
      await store.putEntry(key(`${at}`), { ...schedule, candidate: { template: "C tiled", assignment: { at } } });
    }
    const cli = fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));
    const command = `ulimit -n 200; exec "${process.execPath}" "${cli}" cache gc --days 0 --json --cache-dir "${directory}"`;
    const said = JSON.parse(execFileSync("sh", ["-c", command], { encoding: "utf8" }));
    expect(said).toMatchObject({ removed: 0, unreadable: 0 });
    expect((await storedItems(directory)).filter(({ kind }) => kind === "schedule")).toHaveLength(count);
  },
);

test("gc --max-size makes a store smaller from the command line; a size that is none is refused", async () => {
  const { directory, store } = await filledStore();
  const cli = fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));
  const gc = (size: string) =>
    spawnSync(process.execPath, [cli, "cache", "gc", "--max-size", size, "--json", "--cache-dir", directory], {
      encoding: "utf8",
    });
  expect(JSON.parse(gc("1GB").stdout)).toMatchObject({ removed: 0 });
  expect(JSON.parse(gc("0").stdout)).toMatchObject({ removed: 5, refused: 0 });
  expect(await store.entry(key("schedule"))).not.toBeNull();
  expect(await blobsAt(store, key("new"))).toBeNull();
  const wrong = gc("much");
  expect([wrong.status === 0, JSON.parse(wrong.stdout).error.code]).toEqual([false, "command.bad-argument"]);
});
