// The recipe for bull-board in docs/fleet.md, run as it stands there.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { openRedisQueue } from "../../src/plugin/fleet/redis-queue.ts";
import { eventually } from "../support/eventually.ts";
import { startRedis } from "../support/fleet/redis-server.ts";

const repository = resolve(import.meta.dirname, "../..");
const tools = join(repository, "test/tools/node_modules");
const isHere = existsSync("/usr/bin/redis-server") && existsSync(join(tools, ".package-lock.json"));

/** A folder with the recipe and the packages that it names. */
function writeBoard(): string {
  const text = readFileSync(join(repository, "docs/fleet.md"), "utf8");
  const recipe = /```js\n(\/\/ board\.mjs[\s\S]*?)```/.exec(text)![1]!;
  const folder = mkdtempSync(join(tmpdir(), "board-"));
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "board.mjs"), recipe);
  for (const name of ["@bull-board", "express"]) symlinkSync(join(tools, name), join(folder, "node_modules", name));
  for (const name of ["bullmq", "ioredis"])
    symlinkSync(join(repository, "node_modules", name), join(folder, "node_modules", name));
  return folder;
}

test.skipIf(!isHere)("bull-board shows the queue of a class and its jobs", async () => {
  const redis = await startRedis(false);
  const queue = await openRedisQueue({ url: redis.url });
  const name = `measure-${"a".repeat(32)}`;
  await queue.submit(name, "b".repeat(64), "{}");
  const port = redis.port + 1 > 65_535 ? redis.port - 1 : redis.port + 1;
  const env = { ...process.env, REDIS: redis.url, PORT: `${port}` };
  const board = spawn(process.execPath, ["board.mjs"], {
    cwd: writeBoard(),
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    const queues = await eventually(
      async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/queues`);
        return ((await answer.json()) as { queues: { name: string; counts: Record<string, number> }[] }).queues;
      },
      { interval: 100 },
    );
    expect(queues.map((it) => [it.name, it.counts.waiting])).toEqual([[name, 1]]);
  } finally {
    board.kill("SIGKILL");
    await queue.close();
    await redis.stop();
  }
});
