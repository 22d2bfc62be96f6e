// Times of the tunings by part.

import type { KernelReport } from "../report-data.ts";
import { element } from "./dom.ts";
import { seconds, wholePercent } from "./figures.ts";

/** The parts of a tuning in words. */
const words: Readonly<Record<string, string>> = {
  space: "making the space",
  sampling: "drawing candidates",
  search: "choosing among them",
  prediction: "the model's answers",
  training: "training the model",
  lowering: "generating code",
  build: "the C compiler",
  run: "checking and timing on the machine",
};

export function timeSplit({ tunings }: KernelReport): HTMLElement | null {
  const kept = tunings.flatMap((tuning) => tuning.timeSplit ?? []);
  if (tunings.length === 0) return null;
  const section = element("section", {}, element("h3", {}, "Where the time went"));
  if (kept.length === 0) {
    section.append(element("p", { class: "note" }, "The times of these tunings were not kept."));
    return section;
  }
  const parts = [...new Set(kept.map(({ part }) => part))].map((part) => ({
    part: words[part] ?? part,
    ms: kept.filter((it) => it.part === part).reduce((sum, { ms }) => sum + ms, 0),
  }));
  const total = parts.reduce((sum, { ms }) => sum + ms, 0);
  const most = Math.max(...parts.map(({ ms }) => ms));
  parts.sort((a, b) => b.ms - a.ms);
  const rows = parts.map(({ part, ms }) => {
    const bar = element("span", { class: "bar" });
    // The rest of the row is for the value.
    bar.style.width = `${(70 * ms) / most}%`;
    const value = element("span", { class: "bar-value" }, `${seconds(ms)}, ${wholePercent(ms / total)}`);
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, part),
      element("td", { class: "bars" }, element("span", { class: "bar-row" }, bar, value)),
    );
  });
  section.append(
    element(
      "table",
      { class: "split" },
      element("caption", {}, `${seconds(total)} in all, each moment counted once.`),
      element(
        "thead",
        { class: "unseen" },
        element("tr", {}, ...["part", "time and share"].map((title) => element("th", { scope: "col" }, title))),
      ),
      element("tbody", {}, ...rows),
    ),
  );
  return section;
}
