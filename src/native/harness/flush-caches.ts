// Empties the caches of what a kernel has there: reads a block of memory that is twice the size of the largest of them.

import { readdirSync, readFileSync } from "node:fs";

const mebibyte = 1024 ** 2;
/** Bounds of the block, for virtual machines that report absurd caches: reading 256 MB takes some 25 ms. */
const [leastBytes, mostBytes] = [32 * mebibyte, 256 * mebibyte];
const cachesFolder = "/sys/devices/system/cpu/cpu0/cache";

/** Returns twice the largest cache, within bounds; `sizes` are contents of files such as "32768K". */
export function flushBytes(sizes: readonly string[]): number {
  const bytes = sizes.map((size) => Number.parseInt(size, 10) * (size.trim().endsWith("M") ? mebibyte : 1024));
  const largest = Math.max(0, ...bytes.filter(Number.isFinite));
  return Math.min(mostBytes, Math.max(leastBytes, 2 * largest));
}

/** Elements of f64 in a cache line of 64 bytes. */
const lineElements = 64 / 8;

/**
 * Makes `flush()`, which takes some milliseconds; call it once a process. Where the system does not tell its caches, 64 MB
 * are read.
 */
export function createFlush(bytes: number = flushBytes(cacheSizes())): () => number {
  const block = new Float64Array(bytes / 8);
  // Pages that were never written are all the one page of zeros, which stays in the cache.
  block.fill(1);
  return () => {
    let sum = 0;
    for (let at = 0; at < block.length; at += lineElements) sum += block[at]!;
    return sum;
  };
}

function cacheSizes(): readonly string[] {
  try {
    const entries = readdirSync(cachesFolder).filter((name) => name.startsWith("index"));
    return entries.map((name) => readFileSync(`${cachesFolder}/${name}/size`, "utf8"));
  } catch {
    // No Linux, or a container without /sys.
    return ["32M"];
  }
}
