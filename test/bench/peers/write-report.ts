// Results → docs/peers.md and its plots.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { barChart } from "../../../src/tuner/report/bar-chart.ts";
import { rooflinePlot } from "../../../src/tuner/report/roofline.ts";
import { wasm } from "./bars.ts";
import { namesOf, plotName, printReport, sectionsOf, summaryTable, titleOf } from "./report.ts";
import { gflopsOf, limitOf, type WorkResult } from "./result.ts";
import type { Timing } from "./timing.ts";
import { dotsOf } from "./work.ts";

/** @param results of one CPU, as are `timings` */
export function writeReport(results: readonly WorkResult[], timings: readonly Timing[], docs: string): void {
  mkdirSync(join(docs, "plots"), { recursive: true });
  writeFileSync(join(docs, "peers.md"), printReport(results, timings));
  writeReadme(join(docs, "../README.md"), summaryTable(results));
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
    writeFileSync(join(docs, "plots", plotName(section)), chart);
  }
  writeFileSync(join(docs, "plots/peers-roofline.svg"), roofline(results));
}

/** The table between its marks; a README that has none is left alone. */
function writeReadme(path: string, table: string): void {
  if (!existsSync(path)) return;
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace(/(<!-- bench -->\n)[\s\S]*?(\n<!-- \/bench -->)/, `$1\n${table}\n$2`));
}

const roofline = (results: readonly WorkResult[]): string =>
  rooflinePlot({
    title: "Our kernels under the roof of one core",
    ...peakOf(results),
    series: sectionsOf(results)
      .filter(({ suite, target, threads }) => !dotsOf(suite) && target !== wasm && threads === 1)
      .map(({ suite, results: own }) => ({
        name: suite,
        points: own.map(({ name, flops, bytes, medianNs }) => ({ name, flops, bytes, ns: medianNs })),
      })),
  });

const peakOf = (results: readonly WorkResult[]): WorkResult["peak"] => ({
  gflops: Math.max(...results.map(({ peak }) => peak.gflops)),
  reading: Math.max(...results.map(({ peak }) => peak.reading)),
});
