// The page: its data → overview, kernels and machine. Nothing is asked of a network.

import type { FailedKernel, KernelReport, ReportData } from "../report-data.ts";
import { redrawCharts } from "./chart.ts";
import { element } from "./dom.ts";
import { kernelSection } from "./kernel-section.ts";
import { machine } from "./machine.ts";
import { overview } from "./overview.ts";
import { onColours, showForPaper, showForScreen, themeSwitch } from "./theme.ts";

const data = JSON.parse(document.getElementById("data")!.textContent!) as ReportData;

const idOf = (kernel: KernelReport | FailedKernel): string => `kernel-${data.kernels.indexOf(kernel) + 1}`;

const sections = data.kernels.map((kernel) => kernelSection(kernel, idOf(kernel)));

function open(id: string): void {
  const section = sections.find((it) => it.element.id === id);
  if (!section) return;
  section.open();
  section.element.scrollIntoView({ block: "start" });
  section.element.querySelector("summary")!.focus({ preventScroll: true });
}

const openByAddress = (): void => open(location.hash.slice(1));

onColours(redrawCharts);
document.title = `${data.project} · kernels`;
document
  .getElementById("report")!
  .append(
    element(
      "header",
      {},
      element("div", {}, element("h1", {}, data.project), element("p", {}, `Kernels, on ${data.machine.cpu}`)),
      themeSwitch(),
    ),
    overview(data, idOf, open),
    ...sections.map((section) => section.element),
    machine(data.machine),
  );
if (sections.length === 1) sections[0]!.open();
addEventListener("hashchange", openByAddress);
// On paper nothing can be opened.
addEventListener("beforeprint", () => {
  for (const section of sections) section.open();
  showForPaper();
});
addEventListener("afterprint", showForScreen);
openByAddress();
