// The page of a bench: it measures when it is opened and when it is asked to, shows what comes, and sends it to the command.

import { element } from "../../../../plugin/report/page/dom.ts";
import { plural } from "../../../../plugin/report/page/figures.ts";
import { themeSwitch } from "../../../../plugin/report/page/theme.ts";
import { isWrong } from "../../bench-text.ts";
import { type BrowserFacts, benchedOf, type MeasuredRow, type Plan, type Visit, visitOf } from "../visit.ts";
import { type Message, plain } from "./messages.ts";
import { resultsTable } from "./results-table.ts";

const plan: Plan = await (await fetch("plan.json")).json();

const again = element("button", { type: "button" }, "Measure again");
const copy = element("button", { type: "button", disabled: true }, "Copy as JSON");
const save = element("button", { type: "button", disabled: true }, "Download");
const progress = element("progress", { max: plan.kernels.length, value: 0, "aria-label": "Measured" });
const status = element("p", { role: "status", class: "status" });
const results = element("div");
const facts = element("dl", { class: "facts" });

/** Of the last time that all was measured. */
let visit: Visit | null = null;
let measured: (readonly MeasuredRow[])[] = [];

function say(words: string, isBad = false): void {
  status.textContent = words;
  status.classList.toggle("bad", isBad);
}

function showFacts({ userAgent, cores, isIsolated, hasRelaxedSimd, clockStepMs }: BrowserFacts): void {
  const entries: readonly (readonly [string, string])[] = [
    ["Cores", String(cores)],
    ["Cross-origin isolated", isIsolated ? "yes: kernels have their threads" : "no: kernels have one thread"],
    ["Relaxed SIMD", hasRelaxedSimd ? "yes" : "no"],
    ["Clock", `steps of ${Number(clockStepMs.toPrecision(2))} ms`],
    ["Browser", userAgent],
  ];
  facts.replaceChildren(
    ...entries.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
  );
}

function showResults(): void {
  const benched = measured.map((rows, at) => benchedOf(plan.kernels[at]!, rows));
  const failed = benched.flatMap(({ kernel, error }) => (error === null ? [] : [`${kernel}: ${error}`]));
  results.replaceChildren(
    resultsTable(benched),
    ...failed.map((words) => element("p", { class: "status bad" }, words)),
  );
}

function conclusionOf({ kernels }: Visit): readonly [words: string, isBad: boolean] {
  const wrong = kernels.filter(isWrong);
  if (wrong.length === 0) return [`${plural(kernels.length, "kernel")} measured; all results are right.`, false];
  return [`Wrong: ${wrong.map(({ kernel }) => kernel).join(", ")}. The table says what.`, true];
}

async function finish(browser: BrowserFacts): Promise<void> {
  const found = { browser, kernels: measured };
  visit = visitOf(plan, found);
  showFacts(browser);
  const [words, isBad] = conclusionOf(visit);
  const sent = await fetch("results", { method: "POST", body: JSON.stringify(found) }).catch(() => null);
  end(sent?.ok ? words : `${words} The command has not got them.`, isBad);
}

function end(words: string, isBad: boolean): void {
  say(words, isBad);
  again.disabled = false;
  copy.disabled = visit === null;
  save.disabled = visit === null;
}

function hear(message: Message): void {
  switch (message.kind) {
    case "progress": {
      progress.value = message.kernel + (message.doing === "measuring" ? message.share : 0);
      const words = `${message.doing} ${plan.kernels[message.kernel]!.kernel} …`;
      if (status.textContent !== words) say(words);
      break;
    }
    case "measured":
      measured[message.kernel] = message.rows;
      progress.value = message.kernel + 1;
      showResults();
      break;
    case "done":
      finish(message.browser);
      break;
    case "failed":
      end(message.why, true);
  }
}

function start(): void {
  again.disabled = true;
  measured = [];
  progress.value = 0;
  say("starting …");
  const worker = new Worker("measure.js", { type: "module" });
  worker.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    hear(data);
    if (data.kind === "done" || data.kind === "failed") worker.terminate();
  });
  worker.addEventListener("error", (error) => end(`the worker that measures failed: ${plain(error.message)}`, true));
  worker.postMessage(plan);
}

const json = (): string => `${JSON.stringify(visit, null, 2)}\n`;

function download(): void {
  const url = URL.createObjectURL(new Blob([json()], { type: "application/json" }));
  element("a", { href: url, download: `${plan.project}-bench.json` }).click();
  URL.revokeObjectURL(url);
}

again.addEventListener("click", start);
save.addEventListener("click", download);
copy.addEventListener("click", () => {
  navigator.clipboard.writeText(json()).then(
    () => say("Copied."),
    (error: unknown) => say(`Not copied: ${plain(error)}`, true),
  );
});

const note = `Each twin of a kernel as a page gets it, beside the reference loops in JavaScript. Results are checked first; then they take turns, ${plan.seconds} s for each kernel. "Bound" is what a page calls here.`;
document.title = `${plan.project} · kernels in this browser`;
document.getElementById("bench")!.replaceChildren(
  element(
    "header",
    {},
    element("div", {}, element("h1", {}, plan.project), element("p", {}, "Kernels in this browser")),
    themeSwitch(),
  ),
  element(
    "section",
    { class: "card" },
    element("h2", {}, "Kernels"),
    element("p", { class: "note" }, note),
    // Only pages from this machine or with encryption may write to the clipboard.
    element("div", { class: "run" }, again, navigator.clipboard ? copy : null, save, progress),
    status,
    results,
  ),
  element("section", { class: "card" }, element("h2", {}, "Browser"), facts),
);
start();
