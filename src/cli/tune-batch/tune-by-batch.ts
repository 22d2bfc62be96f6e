// `tune --batch <folder>`: candidates for GPUs are compiled here and measured where the folder is carried to; their results decide when it is
// back.

import { resolve } from "node:path";
import { isForGpuHere } from "../../compiler/index.ts";
import { koffiPackages } from "../../native/cuda/koffi-packages.ts";
import { detectMachine, hostTarget } from "../../native/machine/machine.ts";
import { packageFile } from "../../native/machine/package-file.ts";
import { type CarriedRequest, type CarriedRow, tuneCarried } from "../../plugin/carried/tune-carried.ts";
import type { RequestMode } from "../../plugin/kernel/kernel-request.ts";
import type { ParsedRequest } from "../../plugin/request/request.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { isCarriedFolder, writeProgram } from "../../tuner/carried/carried-folder.ts";
import { textTable } from "../../tuner/report/text-table.ts";
import { badArgument } from "../flags/flags.ts";
import { exitCodes, type Outcome } from "../project/command.ts";
import type { Project } from "../project/project.ts";

const carriedRequest = (project: Project, request: ParsedRequest): CarriedRequest => ({
  kernel: slashPath(project.options.root, request.path) + request.query,
  contextFor: (mode, collector) => project.contextOf(request, mode, { collector }),
});

/** Says whether a GPU beside the CPU runs the kernel, by the target that its import names. */
const isForGpu = ({ settings }: ParsedRequest): boolean => isForGpuHere(hostTarget(settings.target, detectMachine()));

const tableText = (rows: readonly CarriedRow[]): string =>
  textTable(
    ["kernel", "", "GFLOP/s", "measured", "to be measured"],
    rows.map(({ kernel, origin, error, gflops, measured, carried }) => [
      ...[kernel, error ?? origin, gflops?.toFixed(1) ?? "–", String(measured), String(carried)],
    ]),
  );

/** Lines that tell the user where the folder goes next. */
function nextText(folder: string, rows: readonly CarriedRow[], hasKoffi: boolean): readonly string[] {
  if (rows.every(({ carried }) => carried === 0)) return [];
  const install = hasKoffi ? "" : "npm install koffi && ";
  return [
    "",
    `Copy ${folder} to a machine with the GPU and Node, and run there, in the folder: ${install}node measure.mjs`,
    "Copy it back, and run this command again: it takes the results, and has the next candidates.",
  ];
}

/** @throws DiagnosticError `command.bad-argument` */
export async function tuneByBatch(
  project: Project,
  wanted: readonly ParsedRequest[],
  { mode, folder: given }: { readonly mode: RequestMode; readonly folder: string },
): Promise<Outcome> {
  const folder = resolve(project.options.root, given);
  if (!isCarriedFolder(folder))
    throw badArgument(`${given} is no folder, or has other files`, "a folder that is new, empty, or of this command");
  const requests = wanted.filter(isForGpu);
  if (requests.length === 0)
    throw badArgument("no kernel here is for NVIDIA's GPUs", "an import such as ./gemm.op.ts?tune=cuda-sm90");
  const rows: CarriedRow[] = [];
  for (const request of requests) rows.push(await tuneCarried(carriedRequest(project, request), mode, folder));
  const packages = koffiPackages();
  if (rows.some(({ carried }) => carried > 0)) writeProgram(folder, packageFile("dist/carried"), packages);
  const shown = slashPath(project.options.root, folder);
  return {
    exitCode: rows.some(({ error }) => error !== null) ? exitCodes.wrong : exitCodes.done,
    json: { folder, kernels: rows },
    text: [tableText(rows), ...nextText(shown, rows, packages.size > 0)].join("\n"),
  };
}
