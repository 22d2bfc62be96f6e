// `bench --browser`: a page that measures the project's kernels in each browser that opens it, and sends the results to the command.

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { DiagnosticError } from "../../../compiler/index.ts";
import { packageFile } from "../../../native/machine/package-file.ts";
import { BadBody, type PageFile, type PageSite, type Post } from "../../../native/network/page-listener.ts";
import type { ParsedRequest } from "../../../plugin/request/request.ts";
import { ShapeError, text } from "../../../tuner/support/strict.ts";
import { announcement } from "../../browser/page-address.ts";
import { type ServerAddress, servePage } from "../../browser/page-server.ts";
import { exitCodes, type Outcome } from "../../project/command.ts";
import type { Project } from "../../project/project.ts";
import { benchText, isWrong } from "../bench-text.ts";
import { decodeMeasured } from "./decode-measured.ts";
import { type PageKernel, pageKernel, runtimeFiles } from "./page-kernel.ts";
import { type BrowserFacts, type PageVisit, type Plan, visitOf } from "./visit.ts";

export interface BrowserBenchOptions extends ServerAddress {
  readonly seconds: number;
  /** Whether the command ends with the first visit. */
  readonly once: boolean;
  /** Whether visits are printed as lines of JSON. */
  readonly json: boolean;
}

/** Folder of the package in which build.js puts the page. */
const folder = "dist/bench-page";

const fileOf = (path: string, type: string): PageFile => ({
  type: `${type}; charset=utf-8`,
  body: readFileSync(packageFile(path)),
});
const pageFile = (name: string, type: string): PageFile => fileOf(`${folder}/${name}`, type);

/** Files that the kernels' modules import, with their URLs. */
const runtimeSite = (): [string, PageFile][] =>
  [runtimeFiles.runtime, runtimeFiles.workerText].map((path) => [path, fileOf(`dist${path}`, "text/javascript")]);

/** Most bytes of a page's results: more than rows for a hundred thousand kernels have. */
const mostBytes = 2 ** 26;

interface Listener {
  onVisit(visit: PageVisit): void;
  onFailure(error: DiagnosticError): void;
}

const resultsPost = (plan: Plan, onVisit: Listener["onVisit"]): Post<PageVisit> => ({
  mostBytes,
  answer: (body) =>
    visitOf(
      plan,
      decoded(body, (value) => decodeMeasured(value, plan)),
    ),
  answered: onVisit,
});

/** Takes the reason that a page sends instead of results. */
const failedPost = (onFailure: Listener["onFailure"]): Post<string> => ({
  mostBytes: 4096,
  answer: (body) => decoded(body, (value) => text(2000)(value, [])),
  answered: (why) =>
    onFailure(
      new DiagnosticError({
        code: "bench.page-failed",
        message: `the page could not measure: ${why}`,
        loc: null,
        hint: null,
        detail: null,
      }),
    ),
});

function decoded<T>(body: Uint8Array, decode: (value: unknown) => T): T {
  try {
    return decode(JSON.parse(Buffer.from(body).toString("utf8")));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ShapeError) throw new BadBody(error.message);
    throw error;
  }
}

function siteOf(plan: Plan, kernels: readonly PageKernel[], { onVisit, onFailure }: Listener): PageSite {
  const html = pageFile("index.html", "text/html");
  return {
    files: new Map([
      ["/", html],
      ["/page.js", pageFile("page.js", "text/javascript")],
      ["/measure.js", pageFile("measure.js", "text/javascript")],
      ["/page.css", pageFile("page.css", "text/css")],
      ...runtimeSite(),
      ["/plan.json", { type: "application/json", body: JSON.stringify(plan) }],
      ...kernels.flatMap(({ files }) => [...files]),
    ]),
    posts: new Map<string, Post>([
      ["/results", resultsPost(plan, onVisit)],
      ["/failed", failedPost(onFailure)],
      ...kernels.flatMap(({ posts }) => [...posts]),
    ]),
  };
}

function factsText({ userAgent, cores, hasSharedMemory, hasRelaxedSimd, clockStepMs }: BrowserFacts): string {
  const facts = [
    `${cores} cores`,
    hasSharedMemory ? "shared memory" : "no shared memory: one thread",
    hasRelaxedSimd ? "relaxed SIMD" : "no relaxed SIMD",
    `clock steps of ${Number(clockStepMs.toPrecision(2))} ms`,
  ];
  return `${userAgent}\n${facts.join(", ")}`;
}

const visitText = ({ browser, kernels }: PageVisit): string =>
  [factsText(browser), ...kernels.map(benchText)].join("\n\n");

const printer = (json: boolean): Listener => ({
  onVisit: (visit) => process.stdout.write(json ? `${JSON.stringify(visit)}\n` : `${visitText(visit)}\n\n`),
  onFailure: (error) => process.stderr.write(`${error.message}\n`),
});

/** Serves the page and prints what visits find. Without `once` it goes on until the process ends. */
export async function browserBench(
  project: Project,
  wanted: readonly ParsedRequest[],
  { seconds, once, json, ...address }: BrowserBenchOptions,
): Promise<Outcome> {
  const kernels: PageKernel[] = [];
  for (const [at, request] of wanted.entries()) kernels.push(await pageKernel(project, request, at));
  const plan: Plan = {
    project: basename(project.options.root),
    seconds,
    kernels: kernels.map(({ planned }) => planned),
  };
  let listener = printer(json);
  const ended = new Promise<PageVisit>((onVisit, onFailure) => {
    if (once) listener = { onVisit, onFailure };
  });
  const server = await servePage(siteOf(plan, kernels, listener), address);
  const announced = { purpose: "measure", lacks: "no shared memory, so one thread", once };
  process.stderr.write(announcement(server.url, address, announced, process.stderr));
  const visit = await ended.finally(server.close);
  const exitCode = visit.kernels.some(isWrong) ? exitCodes.wrong : exitCodes.done;
  return { exitCode, json: visit, text: visitText(visit) };
}
