// Results → docs/peers.md and its plots, those of the CPU on which most was measured; those of others → files with its name.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { barChart } from "../../../src/tuner/report/bar-chart.ts";
import { rooflinePlot } from "../../../src/tuner/report/roofline.ts";
import { wasm } from "./bars.ts";
import { printReport } from "./report.ts";
import { gflopsOf, limitOf, type WorkResult } from "./result.ts";
import { namesOf, plotName, sectionsOf, titleOf } from "./section.ts";
import type { Timing } from "./timing.ts";
import { dotsOf } from "./work.ts";

/** A page: what was measured on one CPU. */
export interface Page {
  readonly cpu: string;
  /** End of the page's name; nothing for the CPU on which most was measured. */
  readonly suffix: string;
  readonly results: readonly WorkResult[];
  readonly timings: readonly Timing[];
}

export function pagesOf(results: readonly WorkResult[], timings: readonly Timing[]): readonly Page[] {
  const ofCpu = (cpu: string): readonly WorkResult[] => results.filter((result) => result.cpu === cpu);
  const cpus = [...new Set(results.map(({ cpu }) => cpu))].sort((a, b) => ofCpu(b).length - ofCpu(a).length);
  return cpus.map((cpu, at) => ({
    cpu,
    suffix: at === 0 ? "" : suffixOf(cpu),
    results: ofCpu(cpu),
    timings: timings.filter((timing) => timing.cpu === cpu),
  }));
}

export function writeReports(results: readonly WorkResult[], timings: readonly Timing[], docs: string): void {
  if (results.length === 0) throw new Error("there are no results to report");
  for (const page of pagesOf(results, timings)) writeReport(page, docs);
}

/** "Intel(R) Xeon(R) Processor (family 6, model 143)" → "-intel-xeon-6-143" */
const suffixOf = (cpu: string): string =>
  `-${cpu
    .toLowerCase()
    .replaceAll(/\((?:r|tm)\)|\b(?:processor|cpu|family|model)\b/g, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")}`;

function writeReport({ results, timings, suffix }: Page, docs: string): void {
  mkdirSync(join(docs, "plots"), { recursive: true });
  writeFileSync(join(docs, `peers${suffix}.md`), printReport(results, timings, suffix));
  for (const section of sectionsOf(results)) {
    const rivals = namesOf(section.results);
    const limits = section.results.flatMap((result) => limitOf(result) ?? []);
    const chart = barChart({
      title: titleOf(section),
      unit: dotsOf(section.suite) === "int8" ? "Gop/s" : "GFLOP/s",
      programs: ["ours", ...rivals],
      works: section.results.map((result) => ({
        name: result.name,
        values: [
          gflopsOf(result, result.medianNs),
          ...rivals.map((name) => {
            const rival = result.rivals.find((it) => it.name === name);
            return rival ? gflopsOf(result, rival.medianNs) : null;
          }),
        ],
      })),
      limit: limits.length > 0 ? section.threads * Math.max(...limits) : null,
    });
    writeFileSync(join(docs, "plots", plotName(section, suffix)), chart);
  }
  writeFileSync(join(docs, `plots/peers-roofline${suffix}.svg`), roofline(results));
}

const roofline = (results: readonly WorkResult[]): string =>
  rooflinePlot({
    title: "Our kernels under the roof of one core",
    ...peakOf(results),
    series: sectionsOf(results)
      .filter(({ suite, target, threads }) => !dotsOf(suite) && suite !== "bytes" && target !== wasm && threads === 1)
      .map(({ suite, results: own }) => ({
        name: suite,
        points: own.map(({ name, flops, bytes, medianNs }) => ({ name, flops, bytes, ns: medianNs })),
      })),
  });

const peakOf = (results: readonly WorkResult[]): WorkResult["peak"] => ({
  gflops: Math.max(...results.map(({ peak }) => peak.gflops)),
  reading: Math.max(...results.map(({ peak }) => peak.reading)),
});
