// Processes that a driver needs: they end with it, and with the process of the tests.

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { createServer } from "node:net";

export interface Running {
  readonly child: ChildProcess;
  /** Ends it and what it has started. */
  end(): Promise<void>;
}

/** Each in a group of its own, which what it starts belongs to. */
export function start(command: string, args: readonly string[], options: SpawnOptions): Running {
  const child = spawn(command, args, { ...options, detached: true });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()).once("error", () => resolve()));
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {} // All of them have ended.
  };
  process.once("exit", kill);
  const end = (): Promise<void> => {
    process.off("exit", kill);
    kill();
    return ended;
  };
  return { child, end };
}

/** Returns a port at which no process listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { readonly port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}
