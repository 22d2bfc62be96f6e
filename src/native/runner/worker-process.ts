// One measuring process: started with its own process group, spoken to over Node's IPC, killed with all of its children.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { lowerPriority } from "../lower-priority.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";

/** How a process ended: "SIGSEGV", "exit code 1: …". */
export interface Death {
  readonly kind: "death";
  readonly reason: string;
  /** An exception of the worker itself, which no candidate can cause. */
  readonly isBug: boolean;
}

export interface WorkerProcess {
  readonly pid: number;
  send(message: ToWorker): void;
  /** The next message, or how the process died; asked by one caller at a time. */
  receive(): Promise<FromWorker | Death>;
  /** Kills the process group; resolves when the process is gone. */
  kill(): Promise<void>;
}

/**
 * Code for WASM is compiled once, optimized, before it runs: times of the baseline tier say nothing. With --expose-gc
 * the worker collects modules that it is done with.
 */
const engineOptions = ["--no-liftoff", "--no-wasm-lazy-compilation", "--expose-gc", "--no-warnings"];

/** V8 before 11.4 (Node 20) has relaxed SIMD behind an option, later ones have it on. */
const relaxedOptions = (): string[] => {
  const [major = 0, minor = 0] = process.versions.v8.split(".").map(Number);
  return major * 100 + minor < 1104 ? ["--experimental-wasm-relaxed-simd"] : [];
};

/** The bundled worker of this package: found by walking up to the package.json. */
export function defaultWorkerPath(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return join(folder, "dist", "native", "worker.js");
}

export interface WorkerOptions {
  /** The bundled worker. */
  readonly path: string;
  readonly relaxedSimd: boolean;
  /** It measures only while no other exclusive worker of this machine does. */
  readonly exclusive: boolean;
  /** Programs of the user come before it. */
  readonly inBackground: boolean;
}

export async function startWorker(given: WorkerOptions): Promise<WorkerProcess> {
  const { path, relaxedSimd, exclusive, inBackground } = given;
  // Its hundred files are loaded when something is measured, not by every build.
  const { execa } = await import("execa");
  const options = [...engineOptions, ...(relaxedSimd ? relaxedOptions() : [])];
  const posix = process.platform !== "win32";
  const child = execa(process.execPath, [...options, path, ...(exclusive ? [] : ["--shared"])], {
    detached: posix,
    ipc: true,
    serialization: "advanced",
    buffer: false,
    reject: false,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    env: { NODE_OPTIONS: "" },
  });
  if (inBackground) lowerPriority(child.pid);
  const inbox = createInbox();
  let errorText = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errorText = (errorText + chunk.toString()).slice(-2000);
  });
  child.on("message", (message) => inbox.put(message as FromWorker));
  // A message to a process that is dying fails; its death says why.
  child.on("error", () => undefined);
  const gone = child.then(({ signal, exitCode, shortMessage }) => {
    const ending = signal ?? (exitCode === undefined ? shortMessage : `exit code ${exitCode}`);
    const reason = errorText.trim() ? `${ending}: ${lastLines(errorText)}` : String(ending);
    inbox.put({ kind: "death", reason, isBug: exitCode === uncaughtException });
  });
  return {
    pid: child.pid ?? -1,
    send: (message) => void (child.connected && child.send(message, () => undefined)),
    receive: inbox.take,
    async kill() {
      if (posix) killGroup(child.pid);
      else child.kill("SIGKILL");
      await gone;
    },
  };
}

/** Node's exit code for it. A crash is a signal, or on Windows a code above 0x8000_0000. */
const uncaughtException = 1;

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const lastLines = (text: string): string => text.trim().split("\n").slice(-6).join("\n");

/** A queue with one reader. A death stays in it: whoever asks later learns of it too. */
function createInbox() {
  const waiting: (FromWorker | Death)[] = [];
  let reader: ((message: FromWorker | Death) => void) | null = null;
  const deliver = () => {
    const message = waiting[0];
    if (!reader || !message) return;
    if (message.kind !== "death") waiting.shift();
    reader(message);
    reader = null;
  };
  return {
    put(message: FromWorker | Death) {
      waiting.push(message);
      deliver();
    },
    take: () =>
      new Promise<FromWorker | Death>((resolve) => {
        reader = resolve;
        deliver();
      }),
  };
}
