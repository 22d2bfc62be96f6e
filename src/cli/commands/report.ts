// Usage of `report`.

import { reportName } from "../../plugin/options/report-name.ts";
import type { Command } from "../project/command.ts";

export const report: Command = {
  usage: "report",
  description:
    "Write one HTML page about the project's kernels: how they were searched, how fast they are, what was chosen",
  options: [{ flags: "--out <file>", description: `default: ${reportName}` }],
  examples: ["unplugin-kernel report", "unplugin-kernel report --out build/kernels.html"],
  load: () => import("../actions/report.ts"),
};
