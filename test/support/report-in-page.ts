// The data that a report's page holds.

import type { KernelReport, ReportData } from "../../src/plugin/report/report-data.ts";

const holder = /<script type="application\/json" id="data">(.*?)<\/script>/s;

export function dataIn(html: string): ReportData {
  const [, json] = holder.exec(html) ?? [];
  if (json === undefined) throw new Error("the page holds no data");
  return JSON.parse(json) as ReportData;
}

/** Its kernels, none of which failed. */
export const kernelsIn = ({ kernels }: ReportData): readonly KernelReport[] =>
  kernels.map((kernel) => {
    if (kernel.kind === "failed") throw new Error(`${kernel.name} failed: ${kernel.error}`);
    return kernel;
  });
