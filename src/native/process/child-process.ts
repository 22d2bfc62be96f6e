// A process of this package, spoken to over Node's IPC: a Ctrl-C on the terminal is told by us and not by the system; its messages come in their
// order, and its end after them.

import type { Socket } from "node:net";
import { constants, setPriority } from "node:os";
import { killTree, ownTree } from "./process-tree.ts";

/** End of a process, with its reason: "SIGSEGV", "exit code 1: …". */
export interface Death {
  readonly kind: "death";
  readonly reason: string;
  /** Whether it ended by an uncaught exception of this package's own code. */
  readonly isBug: boolean;
}

export interface ChildProcess<To, From> {
  readonly pid: number;
  send(message: To): void;
  /** The next message, or how the process died; asked by one caller at a time. */
  receive(): Promise<From | Death>;
  /** Says whether this process stays alive for it; at first it does. */
  hold(isHeld: boolean): void;
  /** Closes the channel, which tells the process to clean up and exit. */
  dismiss(): void;
  /** Kills the process and all that it started; resolves when the process is gone. */
  kill(): Promise<void>;
}

export interface ChildOptions {
  /** A bundled program. */
  readonly path: string;
  readonly args?: readonly string[];
  /** Options of Node itself, before the program's path. */
  readonly engineOptions?: readonly string[];
  /** Variables added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the process, and all that it starts, runs at a priority below the user's programs; default: false. */
  readonly inBackground?: boolean;
}

/** A process of this package did not start, or was ended from outside: no fault of its code. */
export class ProcessError extends Error {
  override readonly name = "ProcessError";
}

export async function startChild<To, From>(options: ChildOptions): Promise<ChildProcess<To, From>> {
  const { path, args = [], engineOptions = [], env = {}, inBackground = false } = options;
  // Its hundred files are loaded when something is started, not by every build.
  const { execa } = await import("execa");
  const child = execa(process.execPath, [...engineOptions, path, ...args], {
    ...ownTree,
    // On Windows it would end this process at a Ctrl-C as soon as it hears of it, before anything is cleaned up.
    cleanup: false,
    ipc: true,
    serialization: "advanced",
    buffer: false,
    reject: false,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    env,
  });
  if (inBackground) lowerPriority(child.pid);
  const inbox = createInbox<From>();
  let errorText = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errorText = (errorText + chunk.toString()).slice(-2000);
  });
  child.on("message", (message) => inbox.put(message as From));
  // A message to a process that is dying fails; its death says why.
  child.on("error", () => undefined);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const gone = child.then(({ signal, exitCode, shortMessage }) => {
    const ending = signal ?? (exitCode === undefined ? shortMessage : `exit code ${exitCode}`);
    const reason = errorText.trim() ? `${ending}: ${lastLines(errorText)}` : String(ending);
    inbox.end({ kind: "death", reason, isBug: exitCode === uncaughtException });
  });
  return {
    pid: child.pid ?? -1,
    send: (message) => void (child.connected && child.send(message as object, () => undefined)),
    receive: inbox.take,
    hold(isHeld) {
      for (const part of [child, child.channel, child.stderr as Partial<Socket>]) {
        if (isHeld) part?.ref?.();
        else part?.unref?.();
      }
    },
    dismiss: () => child.connected && child.disconnect(),
    async kill() {
      killTree(child);
      // Its output may be held by what it started, or never end: nobody wants it any more.
      await Promise.race([gone, exited]);
      child.stderr.destroy();
    },
  };
}

/** Node's exit code for an uncaught exception. A crash is a signal, or on Windows a code above 0x8000_0000. */
const uncaughtException = 1;

/**
 * Lowers a new process's priority. Call it at once: on Linux it sets that of the first thread, which later threads inherit.
 */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended, or the system does not allow it. It then keeps its priority.
  }
}

const lastLines = (text: string): string => text.trim().split("\n").slice(-6).join("\n");

/** A queue with one reader. A death stays at its end, so that each later call of `take` returns it too. */
function createInbox<From>() {
  const waiting: From[] = [];
  let death: Death | null = null;
  let reader: ((message: From | Death) => void) | null = null;
  const deliver = () => {
    if (!reader || (waiting.length === 0 && !death)) return;
    reader(waiting.length > 0 ? waiting.shift()! : death!);
    reader = null;
  };
  return {
    put(message: From) {
      waiting.push(message);
      deliver();
    },
    end(how: Death) {
      death = how;
      deliver();
    },
    take: () =>
      new Promise<From | Death>((resolve) => {
        reader = resolve;
        deliver();
      }),
  };
}
