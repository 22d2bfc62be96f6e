// The C compilers of this machine: gcc and clang on PATH.

import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { sha256 } from "../../compiler/index.ts";
import { clang } from "./clang.ts";
import { gcc } from "./gcc.ts";
import type { CompilerFacts, CompilerFamily, Toolchain } from "./toolchain.ts";

export const compilers: Readonly<Record<CompilerFamily, CompilerFacts>> = { gcc, clang };

/** What is looked for, for the message when nothing is found. */
export const compilerCommands: readonly string[] = Object.values(compilers).map(({ command }) => command);

/** gcc first. Empty if there is no compiler. `path` is a PATH; by default that of this process. */
export async function detectToolchains(path: string = process.env.PATH ?? ""): Promise<readonly Toolchain[]> {
  const found = await Promise.all([detect("gcc", path), detect("clang", path)]);
  return found.filter((toolchain) => toolchain !== null);
}

async function detect(family: CompilerFamily, searchPath: string): Promise<Toolchain | null> {
  const path = findCommand(compilers[family].command, searchPath);
  if (!path) return null;
  const [about, machine] = await Promise.all([firstLineOf(path, "--version"), firstLineOf(path, "-dumpmachine")]);
  const version = about && compilers[family].parseVersion(about);
  if (!about || !machine || !version) return null;
  return { family, path, version, identity: `${family} ${version} ${machine} ${sha256(about).slice(0, 8)}` };
}

function findCommand(command: string, searchPath: string): string | null {
  const paths = searchPath.split(delimiter).filter(isAbsolute);
  return paths.map((folder) => join(folder, command)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Null if the command does not run: a broken installation is no compiler. */
async function firstLineOf(path: string, option: string): Promise<string | null> {
  const { execa } = await import("execa");
  const result = await execa(path, [option], { reject: false, timeout: 10_000, env: { LC_ALL: "C" } });
  return result.failed ? null : (result.stdout.split("\n")[0] ?? null);
}
