// One run of a compiler in a private directory: arguments → null, or why it failed.

import { dirname, resolve } from "node:path";
import { killGroup } from "../child-process.ts";
import { compilers } from "./compilers.ts";
import type { Toolchain } from "./toolchain.ts";

export interface RunOptions {
  /** Private directory, by whose relative names the compiler reads and writes, and where its own files go. */
  readonly folder: string;
  readonly timeoutMs: number;
  /** Aborting kills the compiler and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs a compiler. It sees nothing of our environment but what it needs to find its parts. */
export async function runCompiler(
  toolchain: Toolchain,
  args: readonly string[],
  { folder, timeoutMs, signal }: RunOptions,
): Promise<string | null> {
  const { execa } = await import("execa");
  const { subcommand, privateFiles } = compilers[toolchain.family];
  const posix = process.platform !== "win32";
  const child = execa(toolchain.path, [...subcommand, ...args], {
    cwd: folder,
    env: {
      LC_ALL: "C",
      PATH: `${dirname(toolchain.path)}:/usr/bin:/bin`,
      TMPDIR: folder,
      ...toolchain.environment,
      ...privateFiles(resolve(folder)),
    },
    extendEnv: false,
    reject: false,
    all: true,
    // The driver starts other processes, which do the work: all are killed, or they would go on unnoticed.
    detached: posix,
  });
  const kill = (): void => void (posix ? killGroup(child.pid) : child.kill("SIGKILL"));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, timeoutMs);
  signal?.addEventListener("abort", kill);
  process.on("exit", kill);
  const result = await child;
  process.off("exit", kill);
  signal?.removeEventListener("abort", kill);
  clearTimeout(timer);
  signal?.throwIfAborted();
  if (!result.failed) return null;
  if (isLate) return `the compiler took longer than ${timeoutMs} ms`;
  return firstErrors(result.all ?? "") || (result.shortMessage ?? "the compiler failed");
}

/** Returns the lines that say what is wrong, without the excerpts of code. */
const firstErrors = (output: string): string =>
  output
    .split("\n")
    .filter((line) => /error|undefined/i.test(line))
    .slice(0, 5)
    .join("\n") || output.slice(0, 500);
