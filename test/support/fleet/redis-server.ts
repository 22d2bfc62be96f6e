// Debian's redis-server for a test: unprivileged, on a random port of the loopback interface, in a folder of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Kills the server, as a crash of its machine would. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function answers(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const client = new Redis(port, "127.0.0.1", { lazyConnect: true, retryStrategy: () => null });
    client.on("error", () => undefined);
    const isThere = await client.connect().then(
      async () => (await client.ping()) === "PONG",
      () => false,
    );
    client.disconnect();
    if (isThere) return;
    await sleep(25);
  }
  throw new Error("redis-server does not answer");
}

/** @param keeps whether it has an append-only file, so that a restart loses nothing */
export async function startRedis(keeps: boolean): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), "redis-"));
  const port = await freePort();
  const persistence = keeps ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"];
  let server: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const options = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...persistence];
    server = spawn("/usr/bin/redis-server", options, { stdio: "ignore" });
    await answers(port);
  };
  const kill = async (): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise((resolve) => server!.once("exit", resolve));
    server.kill("SIGKILL");
    await gone;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill,
    start,
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
