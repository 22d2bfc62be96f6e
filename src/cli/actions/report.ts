// `report`: one HTML page about the kernels that the project imports, of what lock, store and records hold.

import { resolve } from "node:path";
import { kernelsOf } from "../../plugin/declarations/find-imports.ts";
import { reportName } from "../../plugin/options/report-name.ts";
import { collectReport } from "../../plugin/report/collect-report.ts";
import { reportPage } from "../../plugin/report/report-page.ts";
import { shownPath } from "../../plugin/support/shown-path.ts";
import { writeIfChanged } from "../../plugin/support/write-if-changed.ts";
import { exitCodes, type Run } from "../project/command.ts";

export const run: Run = async ({ session, options, imports, contextOf }, _, { out = reportName }) => {
  const kernels = kernelsOf(await imports());
  const data = await collectReport(
    kernels.map((request) => ({ request, built: null })),
    { options, measuring: "again", warn: session.log().warn, contextOf: (request) => contextOf(request, "predict") },
  );
  const file = resolve(options.root, String(out));
  writeIfChanged(file, reportPage(data));
  const failed = data.kernels.flatMap((kernel) => (kernel.kind === "failed" ? [kernel.error] : []));
  const count = data.kernels.length;
  const written = `${shownPath(file, process.cwd())} written, ${count} kernel${count === 1 ? "" : "s"}`;
  return {
    exitCode: failed.length > 0 ? exitCodes.wrong : exitCodes.done,
    json: { file, ...data },
    text: [written, ...failed].join("\n"),
  };
};
