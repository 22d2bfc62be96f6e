// `tune --browser`: a page that runs candidates in each browser that opens it, on its GPU and in its WASM engine. Results are checked here, and
// decisions go into the lock for the class of the adapter and of the engine.

import { readFileSync } from "node:fs";
import {
  DiagnosticError,
  factsOf,
  gpuClassOf,
  type Target,
  type TypedArray,
  targetForEngine,
  targetForGpu,
} from "../../compiler/index.ts";
import { packageFile } from "../../native/machine/package-file.ts";
import type { VisitingBrowser } from "../../plugin/kernel/compile-services.ts";
import { decideSchedule } from "../../plugin/kernel/decision/decide-schedule.ts";
import type { RequestMode } from "../../plugin/kernel/kernel-request.ts";
import type { ParsedRequest } from "../../plugin/request/request.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { textTable } from "../../tuner/report/text-table.ts";
import { announcement } from "../browser/page-address.ts";
import { BadBody, type PageFile, type Post, type ServerAddress, servePage } from "../browser/page-server.ts";
import { exitCodes, type Outcome } from "../project/command.ts";
import type { Project } from "../project/project.ts";
import { type Answer, answerIn, factsIn, visitIn } from "./decode.ts";
import type { Next, VisitorFacts } from "./messages.ts";
import { BrowserGone, createPageMachine, type PageMachine } from "./page-machine.ts";
import { pageRunner } from "./page-runner.ts";

export interface BrowserTuningOptions extends ServerAddress {
  readonly mode: RequestMode;
  /** Whether the command ends with the first visit. */
  readonly once: boolean;
  /** Whether visits are printed as lines of JSON. */
  readonly json: boolean;
}

export interface TunedRow {
  readonly kernel: string;
  readonly target: string;
  readonly origin: string;
  readonly gflops: number | null;
  readonly measured: number;
  readonly error: string | null;
}

/** Result of one visit. */
export interface TunedVisit {
  readonly browser: VisitorFacts;
  readonly kernels: readonly TunedRow[];
}

/** Most bytes of an answer: outputs of 256 MiB. */
const mostBytes = 2 ** 28;

const folder = "dist/tune-page";

const fileOf = (name: string, type: string): PageFile => ({
  type: `${type}; charset=utf-8`,
  body: readFileSync(packageFile(`${folder}/${name}`)),
});

/** "Chrome/138.0 on apple metal-3" */
function nameOf({ userAgent, gpu }: VisitorFacts): string {
  const products = userAgent.match(/(Edg|Firefox|HeadlessChrome|Chrome|Version)\/[\d.]+/g) ?? [];
  const browser = products.find((it) => it.startsWith("Edg")) ?? products[0] ?? "a browser";
  return gpu ? `${browser} on ${gpu.name}` : browser;
}

/** Targets that a browser measures in place of one that an import names. */
function targetsOf(target: string, { engine, gpu }: VisitorFacts): readonly string[] {
  const ofGpu = gpu && gpuClassOf(gpu.vendor, gpu.isSoftware);
  const names = [ofGpu && targetForGpu({ name: target }, ofGpu), engine && targetForEngine({ name: target }, engine)];
  return names.filter((name) => name !== null);
}

/** The kernels that a browser measures, each for one of its classes. */
const workFor = (wanted: readonly ParsedRequest[], facts: VisitorFacts): readonly ParsedRequest[] =>
  wanted.flatMap((request) =>
    targetsOf(request.settings.target, facts).map((target) => ({
      ...request,
      settings: { ...request.settings, target },
    })),
  );

async function tuneOne(
  project: Project,
  request: ParsedRequest,
  mode: RequestMode,
  browser: VisitingBrowser,
): Promise<TunedRow> {
  const { target } = request.settings;
  const kernel = slashPath(project.options.root, request.path) + request.query;
  try {
    const context = await project.contextOf(request, mode, { browser });
    const { origin, measured, measurements } = await decideSchedule(context);
    const gflops = measured && factsOf(context.op).flops / measured.medianNs;
    return { kernel, target, origin, gflops, measured: measurements, error: null };
  } catch (error) {
    if (!(error instanceof DiagnosticError || error instanceof BrowserGone)) throw error;
    return { kernel, target, origin: "failed", gflops: null, measured: 0, error: error.message };
  }
}

/** Why a page has no GPU that it might have. */
const insecure = "without WebGPU: its page is neither of https nor of localhost (--cert, --key)";

const visitText = ({ browser, kernels }: TunedVisit): string => {
  const rows = kernels.map(({ kernel, target, origin, gflops, measured, error }) => [
    ...[kernel, target, error ?? origin, gflops?.toFixed(1) ?? "–", String(measured)],
  ]);
  const why = browser.gpu || browser.isSecure ? "" : `, ${insecure}`;
  return `${nameOf(browser)}${why}\n${textTable(["kernel", "for", "", "GFLOP/s", "measured"], rows)}`;
};

/** Visits of the page, and the files that it finds. */
function createSite(onVisit: (facts: VisitorFacts, machine: PageMachine, site: Map<string, PageFile>) => void) {
  const machines: PageMachine[] = [];
  const files = new Map<string, PageFile>([
    ["/", fileOf("index.html", "text/html")],
    ["/page.js", fileOf("page.js", "text/javascript")],
    ["/worker.js", fileOf("worker.js", "text/javascript")],
    ["/page.css", fileOf("page.css", "text/css")],
  ]);
  const machineOf = (visit: number): PageMachine => {
    const machine = machines[visit];
    if (machine) return machine;
    throw new BadBody("this visit is not known: load the page again");
  };
  const posts = new Map<string, Post>([
    [
      "/visit",
      {
        mostBytes: 8192,
        answer(body) {
          const facts = factsIn(body);
          const machine = createPageMachine(nameOf(facts));
          machines.push(machine);
          onVisit(facts, machine, files);
          return { visit: machines.length - 1 };
        },
      } satisfies Post,
    ],
    [
      "/next",
      {
        mostBytes: 256,
        answer: (body) => machineOf(visitIn(body)).next(),
        answered(next) {
          for (const machine of machines) machine.told(next as Next);
        },
      } satisfies Post,
    ],
    [
      "/answer",
      {
        mostBytes,
        answer(body) {
          const answer: Answer = answerIn(body);
          return { taken: machineOf(answer.visit).take(answer) };
        },
      } satisfies Post,
    ],
  ]);
  return { files, posts };
}

/** Puts inputs of tasks where the page finds them. Those of all visits have numbers of their own. */
function createShelf(site: Map<string, PageFile>) {
  let last = 0;
  return {
    put(inputs: readonly TypedArray[]): number {
      const task = last++;
      for (const [at, { buffer, byteOffset, byteLength }] of inputs.entries()) {
        const body = new Uint8Array(buffer, byteOffset, byteLength);
        site.set(`/inputs/${task}/${at}`, { type: "application/octet-stream", body });
      }
      return task;
    },
  };
}

/** Serves the page and tunes in the browsers that open it. Without `once` it goes on until the process ends. */
export async function tuneInBrowser(
  project: Project,
  wanted: readonly ParsedRequest[],
  { mode, once, json, ...address }: BrowserTuningOptions,
): Promise<Outcome> {
  let shelf: ReturnType<typeof createShelf> | null = null;
  const tuneVisit = async (
    facts: VisitorFacts,
    machine: PageMachine,
    site: Map<string, PageFile>,
  ): Promise<TunedVisit> => {
    shelf ??= createShelf(site);
    const inputs = shelf;
    const work = workFor(wanted, facts);
    const targets = new Set(work.map(({ settings }) => settings.target));
    const browser: VisitingBrowser = {
      name: machine.name,
      measures: ({ name }: Target) => targets.has(name),
      open: () => pageRunner(machine, inputs),
    };
    const kernels: TunedRow[] = [];
    for (const request of work) kernels.push(await tuneOne(project, request, mode, browser));
    const failed = kernels.filter(({ error }) => error !== null).length;
    await machine.finish(
      work.length === 0
        ? "No kernel of the project is for this browser: imports with ?tune=webgpu or ?tune=wasm are."
        : `Done: ${kernels.length - failed} of ${kernels.length} kernels have their schedule. This page can be closed.`,
    );
    return { browser: facts, kernels };
  };
  const show = (visit: TunedVisit): void =>
    void process.stdout.write(json ? `${JSON.stringify(visit)}\n` : `${visitText(visit)}\n\n`);
  let end: (visit: TunedVisit) => void = show;
  let fail: (error: unknown) => void = (error) => void process.stderr.write(`${(error as Error).message}\n`);
  const ended = new Promise<TunedVisit>((resolve, reject) => {
    if (!once) return;
    end = resolve;
    fail = reject;
  });
  const site = createSite((facts, machine, files) => {
    tuneVisit(facts, machine, files).then(
      (visit) => end(visit),
      (error) => fail(error),
    );
  });
  const server = await servePage(site, address);
  const announced = { purpose: "tune", lacks: "no WebGPU", once };
  process.stderr.write(announcement(server.url, address, announced, process.stderr));
  const visit = await ended.finally(server.close);
  const hasFailed = visit.kernels.some(({ error }) => error !== null);
  return { exitCode: hasFailed ? exitCodes.wrong : exitCodes.done, json: visit, text: visitText(visit) };
}
