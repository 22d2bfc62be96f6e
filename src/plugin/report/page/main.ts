// The page: its data → overview, kernels and machine. Nothing is asked of a network.

import { groupOf } from "../kernel-order.ts";
import type { FailedKernel, KernelReport, ReportData } from "../report-data.ts";
import { redrawCharts } from "./chart.ts";
import { element } from "./dom.ts";
import { plural } from "./figures.ts";
import { kernelSection } from "./kernel-section.ts";
import { shapeOf, varyingParameters } from "./kernel-status.ts";
import { machine } from "./machine.ts";
import { overview } from "./overview.ts";
import { onColours, showForPaper, showForScreen, themeSwitch } from "./theme.ts";

const data = JSON.parse(document.getElementById("data")!.textContent!) as ReportData;

const idOf = (kernel: KernelReport | FailedKernel): string => `kernel-${data.kernels.indexOf(kernel) + 1}`;

const groupNames = [...new Set(data.kernels.map(groupOf))];
const groupNamed = (name: string) => data.kernels.filter((kernel) => groupOf(kernel) === name);

/** Shape of a kernel within its group; null: it stands alone, or failed. */
function shapeInGroup(kernel: KernelReport | FailedKernel): string | null {
  const group = groupNamed(groupOf(kernel)).filter((it) => it.kind === "kernel");
  return kernel.kind === "failed" || group.length === 1 ? null : shapeOf(kernel, varyingParameters(group));
}

const sections = data.kernels.map((kernel) =>
  kernelSection(kernel, { id: idOf(kernel), shape: shapeInGroup(kernel), tune: data.commands.tune }),
);

/** Shapes of one operator for one target under one heading, where there are several. */
function groupedSections(): readonly HTMLElement[] {
  return groupNames.map((name) => {
    const own = sections.filter((_, at) => groupOf(data.kernels[at]!) === name).map((it) => it.element);
    const head =
      own.length > 1 &&
      element("h2", { class: "group-head" }, name, " ", element("small", {}, plural(own.length, "shape")));
    return element("div", { class: "group-cards" }, head, ...own);
  });
}

function subtitle({ kernels, machine: { cpu, cores, platform } }: ReportData): string {
  // The numbers of its generation are said below.
  const name = cpu.replace(/ \(family.*\)$/, "");
  return `How fast ${kernels.length === 1 ? "its kernel is" : `its ${kernels.length} kernels are`} on ${name}, ${plural(cores, "core")}, ${platform}`;
}

function open(id: string): void {
  const section = sections.find((it) => it.element.id === id);
  if (!section) return;
  section.open();
  section.element.scrollIntoView({ block: "start" });
  section.element.querySelector("summary")!.focus({ preventScroll: true });
}

const openByAddress = (): void => open(location.hash.slice(1));

onColours(redrawCharts);
document.title = `${data.project} · how fast its kernels are`;
document
  .getElementById("report")!
  .append(
    element(
      "header",
      {},
      element("div", {}, element("h1", {}, data.project), element("p", {}, subtitle(data))),
      themeSwitch(),
    ),
    overview(data, idOf, open),
    ...groupedSections(),
    machine(data.machine),
  );
if (sections.length === 1) sections[0]!.open();
addEventListener("hashchange", openByAddress);
// A printed page cannot be opened further, so all sections are.
addEventListener("beforeprint", () => {
  for (const section of sections) section.open();
  showForPaper();
});
addEventListener("afterprint", showForScreen);
openByAddress();
