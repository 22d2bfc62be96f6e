// One run of a compiler in a private directory: arguments → null, or why it failed.

import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { unusableTemp } from "../machine/unusable.ts";
import { compilerEnvironment } from "./compiler-environment.ts";
import { compilers } from "./compilers.ts";
import { runInGroup } from "./run-in-group.ts";
import type { Toolchain } from "./toolchain.ts";

export interface RunOptions {
  /** Private directory, by whose relative names the compiler reads and writes, and where its own files go. */
  readonly folder: string;
  readonly timeoutMs: number;
  /** Words that say which program of several is meant; default: the one that compiles and links. */
  readonly subcommand?: readonly string[];
  /** Aborting kills the compiler and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a compiler. It sees nothing of our environment but what it needs to find its parts.
 *
 * @throws DiagnosticError `temp.unusable`
 */
export async function runCompiler(
  toolchain: Toolchain,
  args: readonly string[],
  { folder, timeoutMs, signal, subcommand = compilers[toolchain.family].subcommand }: RunOptions,
): Promise<string | null> {
  const { privateFiles } = compilers[toolchain.family];
  const result = await runInGroup(toolchain.path, [...subcommand, ...args], {
    folder,
    timeoutMs,
    signal,
    env: {
      ...compilerEnvironment(toolchain.path, folder),
      ...toolchain.environment,
      ...privateFiles(resolve(folder)),
    },
  });
  switch (result.kind) {
    case "done":
      return null;
    case "late":
      return `the compiler took longer than ${timeoutMs} ms`;
    case "failed":
      if (isOutOfRoom(result.output) && folder.startsWith(tmpdir())) throw unusableTemp(firstErrors(result.output));
      return firstErrors(result.output) || result.reason;
  }
}

const isOutOfRoom = (output: string): boolean => /No space left on device|Disk quota exceeded/i.test(output);

/** Returns the lines that say what is wrong, without the excerpts of code. */
export const firstErrors = (output: string): string =>
  output
    .split("\n")
    .filter((line) => /error|undefined|no space|quota/i.test(line))
    .slice(0, 5)
    .join("\n") || output.slice(0, 500);
