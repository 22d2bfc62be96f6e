// Connection to Redis, by ioredis, which is loaded when a fleet is asked for. The coordinator's fails fast: a server that does not
// answer at first is an error within seconds, and one that goes away later is waited for as long as the caller's patience lasts.

import type { Redis } from "ioredis";
import { refuse } from "../../compiler/index.ts";
import { nowMs, sleepMs } from "../../native/machine/clock.ts";
import { QueueLost } from "../../tuner/fleet/queue.ts";

/** Milliseconds for the first connection. */
const connectMs = 2_000;
/** Milliseconds for the answer to one command. */
const commandMs = 5_000;
/** Milliseconds between attempts to connect again. */
const againMs = 200;

export interface FleetPackages {
  readonly bullmq: typeof import("bullmq");
  readonly Redis: typeof Redis;
}

async function importPackages(): Promise<FleetPackages> {
  const [bullmq, { Redis }] = await Promise.all([import("bullmq"), import("ioredis")]);
  return { bullmq, Redis };
}

/**
 * @param load loads the packages; tests have others
 * @throws DiagnosticError `fleet.no-package`
 */
export async function fleetPackages(load: () => Promise<FleetPackages> = importPackages): Promise<FleetPackages> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const message = "a fleet needs the packages bullmq and ioredis, which are not installed";
    const hint = "npm install --save-dev bullmq ioredis";
    throw refuse("fleet.no-package", message, hint);
  }
}

/** Connects, or rejects with a `QueueLost` within some seconds. */
export async function connectCoordinator(url: string): Promise<Redis> {
  const { Redis } = await fleetPackages();
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: connectMs,
    commandTimeout: commandMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => againMs,
  });
  let last = "it does not answer";
  client.on("error", (error) => {
    last = error.message || (error as NodeJS.ErrnoException).code || last;
  });
  try {
    await client.connect();
    await client.ping();
    return client;
  } catch (error) {
    client.disconnect();
    const why = error instanceof Error && error.message !== "Connection is closed." ? error.message : last;
    throw new QueueLost(why);
  }
}

/** Connects a worker, which waits for its server as long as it has to. */
export async function connectWorker(url: string): Promise<Redis> {
  const { Redis } = await fleetPackages();
  const client = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => againMs });
  client.on("error", () => undefined);
  return client;
}

/** Says whether Redis itself refused: trying again would not help, unless it is still loading its data. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && error.name === "ReplyError" && !/^(LOADING|BUSY|MASTERDOWN)/.test(error.message);

/**
 * Runs a command, again and again while the server is out of reach; then it rejects with a `QueueLost`.
 *
 * @param signal ends the patience
 */
export async function withPatience<T>(patienceMs: number, command: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const startMs = nowMs();
  for (;;) {
    try {
      return await command();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (isRefusal(error) || signal?.aborted || nowMs() - startMs >= patienceMs) throw new QueueLost(reason);
      await sleepMs(againMs);
    }
  }
}
