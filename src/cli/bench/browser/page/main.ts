// The page of a bench: it measures when it is opened and when it is asked to, shows what comes, and sends it to the command.

import { element } from "../../../../plugin/report/page/dom.ts";
import { plural } from "../../../../plugin/report/page/figures.ts";
import { themeSwitch } from "../../../../plugin/report/page/theme.ts";
import { type Benched, isWrong } from "../../bench-text.ts";
import { type BrowserFacts, benchedOf, type MeasuredRow, type PageVisit, type Plan, visitOf } from "../visit.ts";
import { type Message, plain } from "./messages.ts";
import { resultsTable } from "./results-table.ts";
import { verdictOf } from "./verdict.ts";

const plan: Plan = await (await fetch("plan.json")).json();

const again = element("button", { type: "button" }, "Measure again");
const copy = element("button", { type: "button", disabled: true }, "Copy as JSON");
const save = element("button", { type: "button", disabled: true }, "Download");
const progress = element("progress", { max: plan.kernels.length, value: 0, "aria-label": "Measured" });
const status = element("p", { role: "status", class: "status" });
const results = element("div");
const facts = element("dl", { class: "facts" });

/** Results of the last time that all kernels were measured. */
let visit: PageVisit | null = null;
let measured: (readonly MeasuredRow[])[] = [];
let browser: BrowserFacts | null = null;

function say(words: string, isBad = false): void {
  status.textContent = words;
  status.classList.toggle("bad", isBad);
}

function showFacts({ userAgent, cores, hasSharedMemory, hasRelaxedSimd, clockStepMs }: BrowserFacts): void {
  const entries: readonly (readonly [string, string])[] = [
    ["Cores", String(cores)],
    ["Shared memory", hasSharedMemory ? "yes: kernels have their threads" : "no: kernels have one thread"],
    ["Relaxed SIMD", hasRelaxedSimd ? "yes" : "no"],
    ["Clock", `steps of ${Number(clockStepMs.toPrecision(2))} ms`],
    ["Browser", userAgent],
  ];
  facts.replaceChildren(
    ...entries.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
  );
}

/** A line for each kernel of which there is something to say. */
const verdicts = (all: readonly Benched[]): HTMLElement =>
  element(
    "ul",
    { class: "verdicts", "aria-label": "Verdicts" },
    ...all.flatMap((benched) => {
      const words = verdictOf(benched);
      return words === null ? [] : element("li", {}, element("strong", {}, benched.kernel), `: ${words}.`);
    }),
  );

function showResults(): void {
  const benched = measured.map((rows, at) => benchedOf(plan.kernels[at]!, rows));
  const failed = benched.flatMap(({ kernel, error }) => (error === null ? [] : [`${kernel}: ${error}`]));
  results.replaceChildren(
    verdicts(benched),
    resultsTable(benched),
    ...failed.map((words) => element("pre", { class: "error" }, words)),
  );
}

function conclusionOf({ kernels }: PageVisit): readonly [words: string, isBad: boolean] {
  const list = (all: readonly Benched[]): string => all.map(({ kernel }) => kernel).join(", ");
  const measured = kernels.filter(({ error }) => error === null);
  const [failed, wrong] = [kernels.filter(({ error }) => error !== null), measured.filter(isWrong)];
  const words = [
    `${plural(measured.length, "kernel")} measured`,
    wrong.length === 0 ? "all results are right" : `wrong results: ${list(wrong)}`,
    ...(failed.length === 0 ? [] : [`failed: ${list(failed)}`]),
  ];
  return [`${words.join("; ")}.`, wrong.length + failed.length > 0];
}

/** Posts a value to the command; null: the command does not answer. */
const send = (path: string, value: unknown): Promise<Response | null> =>
  fetch(path, { method: "POST", body: JSON.stringify(value) }).catch(() => null);

async function finish(): Promise<void> {
  const found = { browser: browser!, kernels: measured };
  visit = visitOf(plan, found);
  const [words, isBad] = conclusionOf(visit);
  const sent = await send("results", found);
  end(sent?.ok ? words : `${words} The command has not got them.`, isBad);
}

/** Shows a failure and tells the command, which would wait for results that do not come. */
function fail(why: string): void {
  end(why, true);
  send("failed", why);
}

function end(words: string, isBad: boolean): void {
  say(words, isBad);
  again.disabled = false;
  copy.disabled = visit === null;
  save.disabled = visit === null;
}

function hear(message: Message): void {
  switch (message.kind) {
    case "begun":
      browser = message.browser;
      showFacts(browser);
      break;
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
      finish();
      break;
    case "failed":
      fail(message.why);
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
  worker.addEventListener("error", ({ message = "it could not be loaded" }) =>
    fail(`the worker that measures failed: ${plain(message)}`),
  );
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
