// The machine that made the report.

import type { MachineReport } from "../report-data.ts";
import { element } from "./dom.ts";
import { cacheText, plural } from "./figures.ts";

export function machine(facts: MachineReport): HTMLElement {
  const { cpu, cores, platform, caches, native, compilers, node, v8, codegen, features } = facts;
  const entries: readonly (readonly [string, string])[] = [
    ["CPU", `${cpu}, ${plural(cores, "core")}, ${platform}`],
    ["Caches of a core", caches ? cacheText(caches) : "not known"],
    ["Target native", native],
    ["Compilers", compilers.map(({ family, version }) => `${family} ${version}`).join(", ") || "none found"],
    ["Node", `${node}, V8 ${v8}`],
    ["Code generator", `version ${codegen}`],
  ];
  return element(
    "section",
    { id: "machine", class: "card" },
    element("h2", {}, "Machine"),
    element(
      "dl",
      { class: "facts" },
      ...entries.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
    ),
    features.length > 0 &&
      element(
        "details",
        { class: "flags" },
        element("summary", {}, `All ${plural(features.length, "feature")} of the CPU`),
        element("p", {}, features.join(" ")),
      ),
  );
}
