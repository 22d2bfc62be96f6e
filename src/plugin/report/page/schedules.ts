// The winning schedule beside the default one: its instructions, loop nest, code and decisions, with the differences marked.

import type { KernelReport, ScheduleReport } from "../report-data.ts";
import { element, freshId } from "./dom.ts";
import { type LinePair, lineDiff } from "./line-diff.ts";

interface View {
  readonly title: string;
  readonly textOf: (schedule: ScheduleReport) => string;
}

const viewsOf = ({ language }: ScheduleReport): readonly View[] => [
  { title: "Decisions", textOf: decisionsText },
  { title: "Instructions", textOf: ({ steps }) => steps },
  { title: "Loop nest", textOf: ({ nest }) => nest },
  { title: language, textOf: ({ code }) => code },
];

const decisionsText = ({ template, decisions }: ScheduleReport): string =>
  [template, ...Object.entries(decisions).map(([name, value]) => `${name} = ${value}`)].join("\n");

export function schedules({ schedules: pair, measured }: KernelReport): HTMLElement {
  const { chosen, default: predicted, problem } = pair;
  const title = chosen && predicted ? "The winner beside the default" : "The schedule";
  const section = element("section", {}, element("h3", {}, title));
  if (!chosen) {
    section.append(element("p", { class: "note" }, `There is no schedule to show: ${problem}.`));
    return section;
  }
  section.append(element("p", { class: "note" }, noteOf(predicted !== null, measured !== null)));
  const views = viewsOf(chosen);
  const place = element("div", { class: "panes" });
  const show = ({ textOf }: View): void => {
    const texts = [chosen, predicted].map((schedule) => schedule && textOf(schedule).trimEnd());
    place.replaceChildren(...panesOf(texts[0]!, texts[1] ?? null));
  };
  show(views[0]!);
  section.append(viewSwitch(views, show), place);
  return section;
}

function noteOf(hasDefault: boolean, isMeasured: boolean): string {
  if (hasDefault)
    return "The default is the predicted schedule: what a build takes that measures nothing. Lines that differ are marked.";
  return isMeasured ? "The predicted schedule has won." : "It was predicted: nothing was measured.";
}

function viewSwitch(views: readonly View[], show: (view: View) => void): HTMLElement {
  const name = freshId("view");
  const choices = views.map((view, at) => {
    const input = element("input", { type: "radio", name, checked: at === 0 });
    input.addEventListener("change", () => show(view));
    return element("label", {}, input, element("span", {}, view.title));
  });
  const legend = element("legend", { class: "unseen" }, "What to show of the schedules");
  return element("fieldset", { class: "switch" }, legend, ...choices);
}

/** Makes the panes of two schedules. They scroll together, so that equal lines stay beside each other. */
function panesOf(winner: string, predicted: string | null): readonly HTMLElement[] {
  if (predicted === null)
    return [
      pane(
        "Schedule",
        winner.split("\n").map((line) => lineElement(line, false)),
      ),
    ];
  const pairs = lineDiff(winner, predicted);
  const side = (of: (pair: LinePair) => string | null) => pairs.map((pair) => lineElement(of(pair), !pair.isSame));
  const panes = [
    pane(
      "Winner",
      side(({ left }) => left),
    ),
    pane(
      "Default",
      side(({ right }) => right),
    ),
  ];
  const [left, right] = panes.map((it) => it.querySelector("pre")!);
  const follow = (leader: HTMLElement, follower: HTMLElement): void => {
    leader.addEventListener("scroll", () => {
      follower.scrollTop = leader.scrollTop;
    });
  };
  follow(left!, right!);
  follow(right!, left!);
  return panes;
}

function pane(title: string, lines: readonly HTMLElement[]): HTMLElement {
  const id = freshId("pane");
  return element(
    "div",
    { class: "pane" },
    element("h4", { id }, title),
    element("pre", { tabindex: 0, role: "region", "aria-labelledby": id }, ...lines),
  );
}

/** @param line null: only the other has one here */
function lineElement(line: string | null, isOther: boolean): HTMLElement {
  if (line === null) return element("span", { class: "line missing", "aria-hidden": "true" }, "\n");
  return isOther ? element("mark", { class: "line" }, `${line}\n`) : element("span", { class: "line" }, `${line}\n`);
}
