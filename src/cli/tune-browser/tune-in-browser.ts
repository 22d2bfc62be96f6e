// `tune --browser`: a page that runs candidates in each browser that opens it, on its GPU and in its WASM engine. Results are checked here, and
// decisions go into the lock for the class of the adapter and of the engine.

import type { RequestMode } from "../../plugin/kernel/kernel-request.ts";
import type { ParsedRequest } from "../../plugin/request/request.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import type { VisitorFacts } from "../../plugin/visitors/messages.ts";
import { type TunedRow, targetsOfBrowser, tuneVisit, type VisitedKernel } from "../../plugin/visitors/tune-visit.ts";
import { browserName, createVisitSite } from "../../plugin/visitors/visit-site.ts";
import { textTable } from "../../tuner/report/text-table.ts";
import { announcement } from "../browser/page-address.ts";
import { type ServerAddress, servePage } from "../browser/page-server.ts";
import { exitCodes, type Outcome } from "../project/command.ts";
import type { Project } from "../project/project.ts";

export interface BrowserTuningOptions extends ServerAddress {
  readonly mode: RequestMode;
  /** Whether the command ends with the first visit. */
  readonly once: boolean;
  /** Whether visits are printed as lines of JSON. */
  readonly json: boolean;
}

/** Result of one visit. */
export interface TunedVisit {
  readonly browser: VisitorFacts;
  readonly kernels: readonly TunedRow[];
}

const visitedKernel = (project: Project, request: ParsedRequest, mode: RequestMode): VisitedKernel => ({
  kernel: slashPath(project.options.root, request.path) + request.query,
  target: request.settings.target,
  contextFor: (target, browser) =>
    project.contextOf({ ...request, settings: { ...request.settings, target } }, mode, { browser }),
});

/** Why a page has no GPU that it might have. */
const insecure = "without WebGPU: its page is neither of https nor of localhost (--cert, --key)";

const visitText = ({ browser, kernels }: TunedVisit): string => {
  const rows = kernels.map(({ kernel, target, origin, gflops, measured, error }) => [
    ...[kernel, target, error ?? origin, gflops?.toFixed(1) ?? "–", String(measured)],
  ]);
  const why = browser.gpu || browser.isSecure ? "" : `, ${insecure}`;
  return `${browserName(browser)}${why}\n${textTable(["kernel", "for", "", "GFLOP/s", "measured"], rows)}`;
};

/** Serves the page and tunes in the browsers that open it. Without `once` it goes on until the process ends. */
export async function tuneInBrowser(
  project: Project,
  wanted: readonly ParsedRequest[],
  { mode, once, json, ...address }: BrowserTuningOptions,
): Promise<Outcome> {
  const work = wanted.map((request) => visitedKernel(project, request, mode));
  const show = (visit: TunedVisit): void =>
    void process.stdout.write(json ? `${JSON.stringify(visit)}\n` : `${visitText(visit)}\n\n`);
  let end: (visit: TunedVisit) => void = show;
  let fail: (error: unknown) => void = (error) => void process.stderr.write(`${(error as Error).message}\n`);
  const ended = new Promise<TunedVisit>((resolve, reject) => {
    if (!once) return;
    end = resolve;
    fail = reject;
  });
  const site = createVisitSite((browser, machine, shelf) => {
    tuneVisit({ machine, shelf }, work, (target) => targetsOfBrowser(target, browser)).then(
      (kernels) => end({ browser, kernels }),
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
