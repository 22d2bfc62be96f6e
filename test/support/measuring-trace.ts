// The trace of measurements that a cache directory holds → intervals, and those that overlap.

import { readFileSync } from "node:fs";

export interface Interval {
  readonly process: string;
  readonly beginNs: bigint;
  /** Null: the process was killed while it measured. */
  readonly endNs: bigint | null;
}

interface Moment {
  readonly kind: "begin" | "end";
  readonly pid: number;
  readonly node: string;
  readonly ns: string;
}

/** Reads a trace. Process numbers of containers repeat, so a process is known by its version of Node too. */
export function readTrace(path: string): readonly Interval[] {
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  const moments = lines.map((line): Moment => JSON.parse(line));
  return moments.flatMap((begin, at) => {
    if (begin.kind !== "begin") return [];
    const next = moments.slice(at + 1).find(({ pid, node }) => pid === begin.pid && node === begin.node);
    const endNs = next?.kind === "end" ? BigInt(next.ns) : null;
    return [{ process: `${begin.pid} on Node ${begin.node}`, beginNs: BigInt(begin.ns), endNs }];
  });
}

/** Describes intervals that begin before one that began earlier has ended. Those of killed processes have no end. */
export function overlaps(intervals: readonly Interval[]): readonly string[] {
  const ended = intervals.filter((it): it is Interval & { readonly endNs: bigint } => it.endNs !== null);
  return ended.flatMap((one) =>
    intervals
      .filter((other) => other !== one && other.beginNs >= one.beginNs && other.beginNs < one.endNs)
      .map((other) => `${other.process} began while ${one.process} measured`),
  );
}
