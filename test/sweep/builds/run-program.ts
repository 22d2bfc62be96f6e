// A program of a case in a process of its own, as nobody where the tests run as root, so that rights count: arguments → how it ended.

import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface Ended {
  /** Null: it was killed at its deadline. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** User "nobody". */
export const nobody = 65534;
export const isRoot = process.getuid?.() === 0;

/** Milliseconds within which a program has to end: a minute on a quiet machine would be a hang, and others may run beside. */
export const deadlineMs = 180_000;

/** @param env all of its environment */
export function runProgram(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const user = isRoot ? { uid: nobody, gid: nobody } : {};
  const start = performance.now();
  const child = spawn(process.execPath, args, { ...user, cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) child[name].on("data", (part: Buffer) => (said[name] += part));
  const force = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), deadlineMs);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) => {
      clearTimeout(force);
      resolve({ exitCode, ...said, ms: performance.now() - start });
    });
  });
}

/** Command lines of processes whose environment names a folder, once they had time to end. */
export async function processesOf(folder: string, patienceMs = 5000): Promise<readonly string[]> {
  for (const giveUp = performance.now() + patienceMs; ; ) {
    const left = listProcesses(folder);
    if (left.length === 0 || performance.now() > giveUp) return left;
    await sleep(50);
  }
}

function listProcesses(folder: string): readonly string[] {
  return (existsSync("/proc") ? readdirSync("/proc") : [])
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(folder)) return [];
        return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").slice(0, 300)];
      } catch {
        return [];
      }
    });
}
