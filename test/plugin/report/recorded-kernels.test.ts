// Kernels that were measured on an AMD and on an Intel core, against the limits that were measured there: none is beyond them.

import { describe, expect, it } from "vitest";
import { targets } from "../../../src/compiler/index.ts";
import { leastTime } from "../../../src/plugin/limits/least-time.ts";
import { algorithmsFor } from "../../../src/tuner/space/algorithm/index.ts";
import { readResults, type WorkResult } from "../../bench/peers/result.ts";
import { allWorks } from "../../bench/peers/suites/all-works.ts";
import { taskOf } from "../../bench/peers/work.ts";
import { limitsOfPeak, recordedCpu, recordedLimits } from "../../support/recorded-limits.ts";

const results = readResults("test/bench/peers/results.jsonl");

interface Share {
  readonly name: string;
  readonly suite: string;
  readonly template: string;
  /** Speed as a share of the core's limit. */
  readonly share: number;
}

function shareOf({
  suite,
  name,
  cpu,
  target: targetName,
  threads,
  node = 20,
  candidate,
  medianNs,
  peak,
}: WorkResult): Share {
  const work = allWorks[suite]?.find((it) => it.name === name);
  if (!work) throw new Error(`there is no work ${suite} ${name}`);
  const target = { ...targets[targetName as keyof typeof targets], threads };
  const task = taskOf(work, target);
  const algorithm = /^(winograd F\(\d,3\)): /.exec(candidate.template)?.[1];
  const op = algorithm ? algorithmsFor(task).find((it) => it.name === algorithm)!.op : task.op;
  // From version 22 on Node has relaxed SIMD, which the benches took there.
  const hasFma = target.hasFma || (targetName === "wasm" && node >= 22);
  const limits = cpu === recordedCpu ? recordedLimits(targetName) : limitsOfPeak(peak, cpu);
  const { constants = [], numerics } = task;
  const { arithmeticNs, readingNs } = leastTime({ op, constants, numerics, hasFma }, limits);
  expect(arithmeticNs, `${suite} ${name}`).not.toBeNull();
  const leastNs = Math.max(arithmeticNs! / threads, threads === 1 ? readingNs : 0);
  return { suite, name, template: candidate.template, share: leastNs / medianNs };
}

const machines = [
  { cpu: "AMD", isTarget: (target: string) => target === "wasm", kind: "WASM", least: 150, best: 0.9 },
  { cpu: "AMD", isTarget: (target: string) => target !== "wasm", kind: "native", least: 100, best: 0.95 },
  { cpu: "Intel", isTarget: (target: string) => target !== "wasm", kind: "native", least: 100, best: 0.85 },
] as const;

describe.each(machines)("$kind kernels on $cpu", ({ cpu, isTarget, least, best }) => {
  const shares = results.filter((it) => it.cpu.startsWith(cpu) && isTarget(it.target)).map(shareOf);

  it("are many, and none does more than the core can", () => {
    expect(shares.length).toBeGreaterThan(least);
    expect(shares.filter(({ share }) => share > 1)).toEqual([]);
  });

  it("come near to the limit at their best, so it is not set too high either", () => {
    expect(Math.max(...shares.map(({ share }) => share))).toBeGreaterThan(best);
  });

  it("of Winograd's algorithm are held against its own operations", () => {
    const winograd = shares.filter(({ template }) => template.startsWith("winograd"));
    expect(winograd.length).toBeGreaterThan(0);
    for (const { share } of winograd) expect(share).toBeLessThan(0.95);
  });
});
