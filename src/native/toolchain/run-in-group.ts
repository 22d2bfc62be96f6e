// One run of a command with a deadline: command → what it printed, or how it ended. It has a process group of its own, which
// is killed as a whole: a compiler's driver, or a wrapper such as ccache, starts others, which do the work and hold the pipe.

import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { killTree, ownTree } from "../process/process-tree.ts";

export interface GroupOptions {
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Working directory; default: that of this process. */
  readonly folder?: string;
  /** Aborting kills the group and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export type GroupResult =
  | { readonly kind: "done"; readonly stdout: string }
  | { readonly kind: "failed"; readonly output: string; readonly reason: string }
  | { readonly kind: "late" };

/**
 * Milliseconds after a command's end in which the end of its output is awaited: before what it left behind is killed, and then
 * before nobody waits any more for a process that left the group and holds the pipe.
 */
const drainMs = 500;
const patienceMs = 3_000;

/** Characters of output that are kept: of a compiler that prints without end, the first errors count. */
const mostOutput = 1 << 20;

/** Runs a command to its end, or kills it and all that it started at its deadline. */
export async function runInGroup(path: string, args: readonly string[], options: GroupOptions): Promise<GroupResult> {
  const { timeoutMs, env, folder, signal } = options;
  signal?.throwIfAborted();
  const child = spawn(path, args, { cwd: folder, env, ...ownTree, stdio: ["ignore", "pipe", "pipe"] });
  const text = { stdout: "", all: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    if (text.stdout.length < mostOutput) text.stdout += chunk.toString();
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      if (text.all.length < mostOutput) text.all += chunk.toString();
    });
  let patience: NodeJS.Timeout | undefined;
  let giveUp = (): void => undefined;
  /** Comes where a command outlives its end: one that waits for a dead file server, or has another user's rights. */
  const outlived = new Promise<"outlived">((resolve) => {
    giveUp = () => resolve("outlived");
  });
  const kill = (): void => {
    killTree(child);
    patience ??= setTimeout(giveUp, patienceMs);
  };
  let isLate = false;
  let hasEnded = false;
  const timer = setTimeout(() => {
    // An end that came while this thread was busy is seen first, and is in time.
    setImmediate(() => {
      if (hasEnded) return;
      isLate = true;
      kill();
    });
  }, timeoutMs);
  signal?.addEventListener("abort", kill);
  running.add(kill);
  const closed = new Promise<true>((resolve) => child.once("close", () => resolve(true)));
  const ending = await Promise.race([endOf(child), outlived]);
  clearTimeout(patience);
  hasEnded = true;
  clearTimeout(timer);
  if (ending === "outlived" || !(await within(closed, drainMs))) {
    // What still holds the pipe has nobody to work for.
    kill();
    if (ending === "outlived" || !(await within(closed, patienceMs))) {
      child.stdout.destroy();
      child.stderr.destroy();
      child.unref();
    }
    clearTimeout(patience);
  }
  running.delete(kill);
  signal?.removeEventListener("abort", kill);
  signal?.throwIfAborted();
  if (isLate) return { kind: "late" };
  return ending === null
    ? { kind: "done", stdout: text.stdout }
    : { kind: "failed", output: text.all, reason: `${path} ${ending}` };
}

/** What kills the commands that run: they end with this process. */
const running = new Set<() => void>();
process.on("exit", () => {
  for (const kill of running) kill();
});

/** Waits for something. What came while this thread was busy is in time. */
const within = (closed: Promise<true>, ms: number): Promise<boolean> =>
  Promise.race([closed, sleep(ms).then(() => new Promise<false>((resolve) => setImmediate(() => resolve(false))))]);

/** Waits for a command's end. Returns null where it ended with success, else what happened to it. */
const endOf = (child: ReturnType<typeof spawn>): Promise<string | null> =>
  new Promise((resolve) => {
    child.once("error", (error) => resolve(`did not start: ${error.message}`));
    child.once("exit", (code, signal) =>
      resolve(code === 0 ? null : signal ? `was ended by ${signal}` : `ended with exit code ${code}`),
    );
  });
