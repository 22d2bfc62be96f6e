// `bench`: the kernels as programs call them, against their other twins, the plain loops, and peers of the user's.

import { relative, resolve } from "node:path";
import { DiagnosticError } from "../../compiler/index.ts";
import type { ParsedRequest } from "../../plugin/request.ts";
import { textTable } from "../../tuner/report/text-table.ts";
import { type BenchOptions, type BenchRow, benchKernel, type KernelBench } from "../bench/bench-kernel.ts";
import { loadPeer } from "../bench/entrants.ts";
import { badArgument, type Command, exitCodes } from "../command.ts";
import type { Project } from "../project.ts";
import { wantedKernels } from "../wanted-kernels.ts";

interface Benched {
  readonly kernel: string;
  readonly bench: KernelBench | null;
  readonly error: string | null;
}

async function benchOne(project: Project, request: ParsedRequest, options: BenchOptions): Promise<Benched> {
  const kernel = relative(project.options.root, request.path) + request.query;
  try {
    const context = await project.contextOf(request, "predict");
    const plain = await project.contextOf(request, "off");
    return { kernel, bench: await benchKernel(context, plain, options), error: null };
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return { kernel, bench: null, error: error.message };
  }
}

const duration = (ns: number): string =>
  ns < 1e3 ? `${ns.toFixed(0)} ns` : ns < 1e6 ? `${(ns / 1e3).toFixed(1)} µs` : `${(ns / 1e6).toFixed(2)} ms`;

/** Of the middle three fifths of the samples, beside the median. */
const spread = ({ medianNs, p20Ns, p80Ns }: NonNullable<BenchRow["times"]>): string =>
  `${(((p80Ns - p20Ns) / medianNs) * 100).toFixed(1)} %`;

function cellsOf({ name, isBound, why, times, gflops }: BenchRow, loopsNs: number | null): readonly string[] {
  const shown = isBound ? `${name} (bound)` : name;
  if (!times) return [shown, "–", "–", "–", "–", why ?? ""];
  const ratio = loopsNs === null ? "–" : `${(loopsNs / times.medianNs).toFixed(1)} ×`;
  return [shown, gflops ? gflops.toFixed(2) : "–", duration(times.medianNs), spread(times), ratio, ""];
}

function textOf({ kernel, bench, error }: Benched): string {
  if (!bench) return error ?? "";
  const loops = bench.rows.find(({ name }) => name === "reference")?.times ?? null;
  const head = ["", "GFLOP/s", "a call", "spread", "of the loops", "not measured"];
  const rows = bench.rows.map((row) => cellsOf(row, loops?.medianNs ?? null));
  return [`${kernel}, schedule: ${bench.origin}`, textTable(head, rows)].join("\n");
}

export const bench: Command = {
  usage: "bench [...files]",
  description:
    "Measure the imported kernels against their other twins, the plain loops and peers; all results are checked",
  options: [
    { flags: "--seconds <count>", description: "for one kernel and all it is measured against; 3 unless said" },
    { flags: "--peer <module>", description: "a module that gives other implementations; may be said several times" },
  ],
  examples: ["unplugin-kernel bench", "unplugin-kernel bench src/gemm.op.ts --peer ./bench/by-hand.mjs --seconds 10"],
  async run(project, files, { seconds = 3, peer = [] }) {
    const wanted = await wantedKernels(project, files);
    const named = [peer].flat().map((file) => resolve(project.options.root, String(file)));
    const peers = await Promise.all(named.map(loadPeer));
    const twice = peers.find(({ name }, at) => peers.findIndex((other) => other.name === name) < at);
    if (twice) throw badArgument(`two peers are called ${twice.name}`, "modules with names of their own");
    const kernels: Benched[] = [];
    // One after the other: they are measured.
    for (const request of wanted) kernels.push(await benchOne(project, request, { seconds: Number(seconds), peers }));
    const isWrong = kernels.some(
      ({ error, bench }) => error !== null || bench?.rows.some(({ isRight }) => isRight === false),
    );
    return {
      exitCode: isWrong ? exitCodes.wrong : exitCodes.done,
      json: { kernels, peers: peers.map(({ name }) => name) },
      text: kernels.map(textOf).join("\n\n") || "no imports of kernels found",
    };
  },
};
