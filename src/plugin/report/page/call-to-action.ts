// Advice on the next step, where there is one: kernels that were not tuned, or no kernels at all.

import type { CommandsReport, ReportData } from "../report-data.ts";
import { element } from "./dom.ts";
import { plural } from "./figures.ts";

/** Import of the example. It is put together from two texts: the command line looks for imports in pages too, and this is none. */
const exampleImport = ["./gemm.op.ts", "tune=wasm"].join("?");

export function noKernels({ tune, report }: CommandsReport): HTMLElement {
  return element(
    "div",
    { class: "action" },
    element("p", {}, element("strong", {}, "No kernels yet. "), "No file of this project imports an operator."),
    element("p", {}, "An operator is a file, and its import makes it a kernel:"),
    element(
      "pre",
      { tabindex: 0, "aria-label": "A first kernel" },
      `// gemm.op.ts
import { gemm } from "unplugin-kernel/ops";
export default gemm({ M: 64, N: 64, K: 64 });

// main.ts
import multiply from "${exampleImport}";`,
    ),
    element("p", {}, "Then run ", command(tune), " and ", command(report), "."),
  );
}

/** Says how to tune the kernels that are not tuned; null: all are. */
export function tuneAction({ kernels, commands: { tune, report } }: ReportData): HTMLElement | null {
  const reported = kernels.filter((kernel) => kernel.kind === "kernel");
  const untuned = reported.filter(({ measured }) => measured === null);
  if (untuned.length === 0) return null;
  const isNone = untuned.length === reported.length;
  const title = isNone
    ? "Nothing is tuned yet. "
    : `${plural(untuned.length, "kernel")} of ${reported.length} ${untuned.length === 1 ? "is" : "are"} not tuned. `;
  const text = isNone
    ? "These kernels run schedules that were predicted without measuring. To find the fastest ones for this machine, run "
    : "Predicted schedules stand in. To measure for better ones, run ";
  return element(
    "div",
    { class: "action" },
    element(
      "p",
      {},
      element("strong", {}, title),
      text,
      command(tune),
      " and write this page again with ",
      command(report),
      ".",
    ),
  );
}

const command = (text: string): HTMLElement => element("code", {}, text);
