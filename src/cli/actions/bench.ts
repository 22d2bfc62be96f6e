// `bench`: the kernels as programs call them, against their other twins, the plain loops, and peers of the user's; here or in a browser.

import { resolve } from "node:path";
import { DiagnosticError } from "../../compiler/index.ts";
import type { ParsedRequest } from "../../plugin/request/request.ts";
import { failAlone } from "../../plugin/support/fail-alone.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { type BenchOptions, benchKernel } from "../bench/bench-kernel.ts";
import { type Benched, benchText, isWrong } from "../bench/bench-text.ts";
import { loadPeer } from "../bench/entrants.ts";
import { badArgument, type Flags } from "../flags/flags.ts";
import { checkPageFlags, pageOf } from "../flags/page-flags.ts";
import { exitCodes, type Outcome, type Run } from "../project/command.ts";
import type { Project } from "../project/project.ts";
import { wantedKernels } from "../project/wanted-kernels.ts";

async function benchOne(project: Project, request: ParsedRequest, options: BenchOptions): Promise<Benched> {
  const kernel = slashPath(project.options.root, request.path) + request.query;
  try {
    return await failAlone(kernel, null, async (): Promise<Benched> => {
      const context = await project.contextOf(request, "predict");
      const plain = await project.contextOf(request, "off");
      return { kernel, bench: await benchKernel(context, plain, options), error: null };
    });
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return { kernel, bench: null, error: error.message };
  }
}

/** @throws DiagnosticError `command.bad-argument` */
function checkFlags(flags: Flags): void {
  checkPageFlags(flags);
  if (flags.browser && flags.peer !== undefined)
    throw badArgument("peers run in Node, not in a page", "--browser or --peer");
}

/** Measures in a browser. The server and the page are loaded only here. */
async function inBrowser(project: Project, wanted: readonly ParsedRequest[], flags: Flags): Promise<Outcome> {
  const { browserBench } = await import("../bench/browser/browser-bench.ts");
  const { seconds = 3, json } = flags;
  return browserBench(project, wanted, { seconds: Number(seconds), json: json === true, ...pageOf(flags) });
}

export const run: Run = async (project, files, flags) => {
  checkFlags(flags);
  const wanted = await wantedKernels(project, files);
  if (flags.browser) return inBrowser(project, wanted, flags);
  const { seconds = 3, peer = [] } = flags;
  const named = [peer].flat().map((file) => resolve(project.options.root, String(file)));
  const peers = await Promise.all(named.map(loadPeer));
  const twice = peers.find(({ name }, at) => peers.findIndex((other) => other.name === name) < at);
  if (twice) throw badArgument(`two peers are called ${twice.name}`, "modules with names of their own");
  const kernels: Benched[] = [];
  // One after the other: they are measured.
  for (const request of wanted) kernels.push(await benchOne(project, request, { seconds: Number(seconds), peers }));
  return {
    exitCode: kernels.some(isWrong) ? exitCodes.wrong : exitCodes.done,
    json: { kernels, peers: peers.map(({ name }) => name) },
    text: kernels.map(benchText).join("\n\n"),
  };
};
