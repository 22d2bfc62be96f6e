// Programs of a compiler → a digest of their bytes: two with the same version line may be patched differently. A program of
// 30 MB is read once: its digest is kept under its path, size and time in the user's cache directory.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { sha256 } from "../../compiler/index.ts";
import { withRegularFile } from "../file/regular-file.ts";
import { renameOver } from "../file/rename-over.ts";

/** File in which digests are kept, by what they were computed from. */
const cacheFile = (): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "unplugin-kernel/tools.json");

/** Most digests that are kept: each update of a compiler leaves one behind. */
const mostKept = 64;
/** Bytes of the file beyond which it is none of ours: with the longest paths, all that is kept takes a third of that. */
const mostBytes = 1 << 20;

/** Returns the digest of all programs in their order; null if one cannot be read: then nothing is known of its bytes. */
export async function toolDigest(paths: readonly string[], file: string = cacheFile()): Promise<string | null> {
  const kept = await readKept(file);
  const found = new Map<string, string>();
  try {
    for (const path of paths) {
      const key = await identityOf(path);
      found.set(key, kept.get(key) ?? (await digestOf(path)));
    }
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return null;
    throw error;
  }
  if ([...found.keys()].some((key) => !kept.has(key))) await keep(file, new Map([...kept, ...found]));
  return sha256([...found.values()].join("\n"));
}

async function identityOf(path: string): Promise<string> {
  const real = await realpath(path);
  const { size, mtimeNs, ctimeNs, ino } = await stat(real, { bigint: true });
  return `${real} ${size} ${mtimeNs} ${ctimeNs} ${ino}`;
}

const digestOf = async (path: string): Promise<string> =>
  createHash("sha256")
    .update(await readFile(path))
    .digest("hex");

async function readKept(file: string): Promise<ReadonlyMap<string, string>> {
  try {
    const text = withRegularFile(file, (opened, { size }) => (size > mostBytes ? "{}" : readFileSync(opened, "utf8")));
    const kept: unknown = JSON.parse(text);
    const entries = Object.entries(kept ?? {});
    return new Map(entries.filter((entry): entry is [string, string] => /^[0-9a-f]{64}$/.test(String(entry[1]))));
  } catch {
    // Missing or damaged: all is read again.
    return new Map();
  }
}

/** Replaces the file in one step. Where it cannot be written, programs are read again by the next process. */
async function keep(file: string, digests: ReadonlyMap<string, string>): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(temporary, JSON.stringify(Object.fromEntries([...digests].slice(-mostKept))));
    await renameOver(temporary, file);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}
