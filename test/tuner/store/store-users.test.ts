// One store, several processes: four writers at once, and a second Unix user who may read and not write.

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../../src/tuner/store/store.ts";
import { fillStore } from "../../sweep/gc/fill-store.ts";
import type { UserReport } from "../../sweep/gc/store-user.ts";
import { userScript } from "../../sweep/gc/user-script.ts";

const cli = resolve(import.meta.dirname, "../../../dist/cli.js");

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "store-users-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function use(program: readonly string[], ...args: readonly string[]): Promise<UserReport> {
  const [name, ...before] = [...program, process.execPath];
  const child = spawn(name!, [...before, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`exit code ${code}`))));
  });
}

test("four writers at once lose nothing, though they put the same kernels", async () => {
  const script = await userScript();
  const reports = await Promise.all(
    ["a", "b", "c", "d"].map((name) => use([], script, "writer", directory, "0", name, "1500")),
  );
  const store = openStore(directory);
  const keys = reports.flatMap(({ put }) => put);
  expect(reports.flatMap(({ errors }) => errors)).toEqual([]);
  expect(keys.length).toBeGreaterThan(3);
  for (const key of keys) expect(await store.entry(key)).toMatchObject({ kind: "schedule" });
});

const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const canBeNobody = process.getuid?.() === 0 && spawnSync(asNobody[0]!, [...asNobody.slice(1), "true"]).status === 0;

test.skipIf(!canBeNobody)(
  "another user reads what is there, and is warned that nothing can be written (needs root and setpriv)",
  async () => {
    await fillStore(directory, 20);
    chmodSync(directory, 0o755);
    const script = await userScript();
    const reader = await use(asNobody, script, "reader", directory, "20", "r", "500");
    expect(reader.errors).toEqual([]);
    expect(reader.hits).toBeGreaterThan(0);
    const writer = await use(asNobody, script, "writer", directory, "20", "w", "500");
    expect(writer.put).toEqual([]);
    expect(writer.errors[0]).toMatch(/could not be written: .*EACCES/);
  },
);

test.skipIf(!canBeNobody)(
  "another user's gc counts what it removed, and not what it may not (needs root and setpriv)",
  async () => {
    await fillStore(directory, 20);
    chmodSync(directory, 0o755);
    const [program, ...before] = asNobody;
    const gc = [cli, "cache", "gc", "--days", "0", "--json", "--cache-dir", directory];
    const { stdout } = spawnSync(program!, [...before, process.execPath, ...gc], { encoding: "utf8" });
    const { removed, bytes, refused } = JSON.parse(stdout);
    expect([removed, bytes]).toEqual([0, 0]);
    expect(refused).toBeGreaterThan(0);
  },
);
