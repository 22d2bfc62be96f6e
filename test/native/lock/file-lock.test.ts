// The lock that is a file: one holder at a time, among thieves of a dead one's too, and a holder learns that he lost it.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acquireFileLock } from "../../../src/native/lock/file-lock.ts";
import { LockTimeout } from "../../../src/native/lock/lock-wait.ts";
import { processSpace } from "../../../src/native/process/process-identity.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "file-lock-"));
  path = join(folder, "a.lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const deadHolder = (): string => {
  const { pid } = spawnSync(process.execPath, ["-e", "0"]);
  return JSON.stringify({ token: "dead", pid, since: "2026-01-01", ...processSpace() });
};

describe("a lock that is a file", () => {
  it("has one holder, who is named to those who wait, and leaves nothing", async () => {
    const lock = await acquireFileLock(path);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid, ...processSpace() });
    const waiting = acquireFileLock(path, { giveUpAfterMs: 30 });
    await expect(waiting).rejects.toThrow(LockTimeout);
    await expect(waiting).rejects.toMatchObject({ holder: expect.stringMatching(`^process ${process.pid}, since 2`) });
    expect(await lock.isHeld()).toBe(true);
    await lock.release();
    expect(await lock.isHeld()).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("of a dead process goes to one of many who want it, and to one after the other", async () => {
    for (let round = 0; round < 10; round++) {
      writeFileSync(path, deadHolder());
      let inside = 0;
      const most = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const lock = await acquireFileLock(path);
          inside += 1;
          const seen = (await lock.isHeld()) ? inside : 0;
          await sleep(1);
          inside -= 1;
          await lock.release();
          return seen;
        }),
      );
      expect(Math.max(...most)).toBe(1);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it.skipIf(process.platform === "win32")("that is a pipe keeps those who wait no longer than any other", async () => {
    spawnSync("mkfifo", [path]);
    await expect(acquireFileLock(path, { giveUpAfterMs: 30 })).rejects.toThrow(LockTimeout);
    await (await acquireFileLock(path, { staleAfterMs: 1, giveUpAfterMs: 5_000 })).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is touched by its holder, so that nobody takes it for left over", async () => {
    const lock = await acquireFileLock(path, { staleAfterMs: 200 });
    await expect(acquireFileLock(path, { staleAfterMs: 200, giveUpAfterMs: 900 })).rejects.toThrow(LockTimeout);
    expect(await lock.isHeld()).toBe(true);
    await lock.release();
  });

  it("that another took is not released by the one who lost it", async () => {
    const lost = await acquireFileLock(path);
    rmSync(path);
    const lock = await acquireFileLock(path);
    expect([await lost.isHeld(), await lock.isHeld()]).toEqual([false, true]);
    await lost.release();
    expect(await lock.isHeld()).toBe(true);
    await lock.release();
  });

  it("cannot be made in a folder that does not exist", async () => {
    await expect(acquireFileLock(join(folder, "no/where.lock"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it.each(["", "{", "null", '{"pid":-1}', '{"token":"a","pid":1,"since":"\\u001b[2J","host":"h","boot":1}'])(
    "that holds %j is an unknown process's",
    async (content) => {
      writeFileSync(path, content);
      await expect(acquireFileLock(path, { giveUpAfterMs: 20 })).rejects.toMatchObject({
        holder: "an unknown process",
      });
    },
  );
});
