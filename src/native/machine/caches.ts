// Sizes of the caches of one core: the strongest where a processor has several kinds. From /sys on Linux, sysctl on macOS, a program in C on
// Windows.

import { readdirSync, readFileSync } from "node:fs";
import { strongestProcessor } from "./processors.ts";
import { readSysctl } from "./sysctl.ts";
import { windowsFacts } from "./windows-facts.ts";

export interface Caches {
  readonly l1Bytes: number;
  readonly l2Bytes: number;
  /** Bytes of L3: one core's share. */
  readonly l3Bytes: number;
}

/** One folder /sys/devices/system/cpu/cpu0/cache/index*: the contents of its files, by name. */
export interface CacheEntry {
  readonly level: string;
  readonly type: string;
  readonly size: string;
  readonly shared_cpu_list: string;
}

/** Returns data and unified caches of one core, a shared one by its share. Null without an L1 or L2. */
export function cachesOfSys(entries: readonly CacheEntry[]): Caches | null {
  const bytes = (level: number): number => {
    const entry = entries.find(({ level: own, type }) => own.trim() === String(level) && type.trim() !== "Instruction");
    return entry ? Math.floor(sizeOf(entry.size) / (level === 3 ? countOfList(entry.shared_cpu_list) : 1)) : 0;
  };
  const [l1Bytes, l2Bytes, l3Bytes] = [bytes(1), bytes(2), bytes(3)];
  return l1Bytes > 0 && l2Bytes > 0 ? { l1Bytes, l2Bytes, l3Bytes: l3Bytes || l2Bytes } : null;
}

/** "32K" → 32768 */
function sizeOf(text: string): number {
  const [, digits, unit] = /^(\d{1,9})([KMG]?)$/.exec(text.trim()) ?? [];
  const scale: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };
  return digits ? Number(digits) * scale[unit ?? ""]! : 0;
}

/** "0-3,8" → 5; what is no range counts nothing, and there is one at least. */
const countOfList = (list: string): number =>
  list
    .trim()
    .split(",")
    .map((range) => /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range))
    .reduce(
      (count, range) => count + (range ? Math.max(0, Number(range[2] ?? range[1]) - Number(range[1]) + 1) : 0),
      0,
    ) || 1;

/**
 * Parses `sysctl hw`: lines "hw.l1dcachesize: 32768". Where cores are of several kinds those are the weakest core's, and level 0 of
 * `hw.perflevel0.l1dcachesize` is the strongest. Apple's cores share their last cache, which is called L2.
 */
export function cachesOfSysctl(text: string): Caches | null {
  const value = (name: string): number => Number(new RegExp(`^hw\\.${name}: (\\d{1,12})$`, "m").exec(text)?.[1] ?? 0);
  const strongest = (name: string): number => value(`perflevel0\\.${name}`) || value(name);
  const l1Bytes = strongest("l1dcachesize");
  const l2Bytes = Math.floor(strongest("l2cachesize") / Math.max(1, value("perflevel0\\.cpusperl2")));
  if (l1Bytes === 0 || l2Bytes === 0) return null;
  const l3Share = Math.floor(value("l3cachesize") / Math.max(1, value("physicalcpu")));
  return { l1Bytes, l2Bytes, l3Bytes: l3Share || l2Bytes };
}

/** Kind of a cache of instructions, in PROCESSOR_CACHE_TYPE of Windows. */
const instructionKind = 1;

/** Takes what windows-probe.c tells: four numbers for each cache of one core. */
export function cachesOfWindows(numbers: readonly number[]): Caches | null {
  const bytes = (level: number): number => {
    for (let at = 0; at + 4 <= numbers.length; at += 4) {
      const [own, kind, size, sharers] = numbers.slice(at, at + 4) as [number, number, number, number];
      if (own === level && kind !== instructionKind) return Math.floor(size / (level === 3 ? Math.max(1, sharers) : 1));
    }
    return 0;
  };
  const [l1Bytes, l2Bytes, l3Bytes] = [bytes(1), bytes(2), bytes(3)];
  return l1Bytes > 0 && l2Bytes > 0 ? { l1Bytes, l2Bytes, l3Bytes: l3Bytes || l2Bytes } : null;
}

/** Reads the caches of this machine; null where the system does not tell. */
export function readCaches(): Caches | null {
  try {
    if (process.platform === "linux") return cachesOfSys(readSysCaches());
    if (process.platform === "darwin") return cachesOfSysctl(readSysctl("hw"));
    if (process.platform === "win32") return cachesOfWindows(windowsFacts().caches);
  } catch {
    // A container without /sys: the target's own numbers serve.
  }
  return null;
}

function readSysCaches(): readonly CacheEntry[] {
  const folder = `/sys/devices/system/cpu/cpu${strongestProcessor()}/cache`;
  return readdirSync(folder)
    .filter((name) => name.startsWith("index"))
    .map((name) => {
      const read = (file: string): string => readFileSync(`${folder}/${name}/${file}`, "utf8");
      return {
        level: read("level"),
        type: read("type"),
        size: read("size"),
        shared_cpu_list: read("shared_cpu_list"),
      };
    });
}
