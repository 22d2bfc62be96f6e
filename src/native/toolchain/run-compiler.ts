// One run of a compiler in a private directory: arguments → null, or why it failed.

import { dirname, resolve } from "node:path";
import { compilers } from "./compilers.ts";
import type { Toolchain } from "./toolchain.ts";

export interface RunOptions {
  /** The private directory: what the compiler reads and writes, by relative names, and where its own files go. */
  readonly folder: string;
  readonly timeoutMs: number;
  /** Aborting kills the compiler and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The compiler sees nothing of our environment but what it needs to find its parts. */
export async function runCompiler(
  toolchain: Toolchain,
  args: readonly string[],
  { folder, timeoutMs, signal }: RunOptions,
): Promise<string | null> {
  const { execa } = await import("execa");
  const { subcommand, privateFiles } = compilers[toolchain.family];
  const result = await execa(toolchain.path, [...subcommand, ...args], {
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
    timeout: timeoutMs,
    forceKillAfterDelay: 500,
    ...(signal ? { cancelSignal: signal } : {}),
  });
  signal?.throwIfAborted();
  if (!result.failed) return null;
  if (result.timedOut) return `the compiler did not end within ${timeoutMs} ms`;
  return firstErrors(result.all ?? "") || (result.shortMessage ?? "the compiler failed");
}

/** The lines that say what is wrong, without the excerpts of code. */
const firstErrors = (output: string): string =>
  output
    .split("\n")
    .filter((line) => /error|undefined/i.test(line))
    .slice(0, 5)
    .join("\n") || output.slice(0, 500);
