// `tune`: every kernel that the project imports gets its schedule, from lock or store or by measuring, and an entry in the lock.

import { relative, resolve } from "node:path";
import { DiagnosticError } from "../../compiler/index.ts";
import { kernelsOf } from "../../plugin/declarations/find-imports.ts";
import { textTable } from "../../tuner/report/text-table.ts";
import { badArgument, type Command, exitCodes } from "../command.ts";

interface Row {
  readonly kernel: string;
  readonly origin: string;
  readonly gflops: number | null;
  readonly measured: number;
  readonly error: string | null;
}

const messageOf = (error: unknown): string => {
  if (error instanceof DiagnosticError) return error.message;
  throw error;
};

export const tune: Command = {
  usage: "tune [...files]",
  description: "Tune the kernels that the project imports, all or those of some operator files, into store and lock",
  options: [
    { flags: "--seconds <count>", description: "most for one kernel; 30 unless said" },
    { flags: "--trials <count>", description: "most candidates for one kernel; 512 unless said" },
    { flags: "--total <seconds>", description: "for all of them together, spent where they save most" },
  ],
  examples: ["unplugin-kernel tune", "unplugin-kernel tune src/gemm.op.ts --seconds 60"],
  async run({ session, options: { root }, imports }, files) {
    const kernels = kernelsOf(await imports());
    const named = files.map((file) => resolve(root, file));
    const unknown = files.find((_, at) => kernels.every(({ path }) => path !== named[at]));
    if (unknown !== undefined)
      throw badArgument(`no import asks for a kernel of ${unknown}`, "operator files that are imported");
    const wanted = kernels.filter(({ path }) => named.length === 0 || named.includes(path));
    const rows = await Promise.all(
      wanted.map(async (request): Promise<Row> => {
        const kernel = relative(root, request.path) + request.query;
        try {
          const { origin, gflops, measurements } = await session.compile(request, "tune");
          return { kernel, origin, gflops, measured: measurements, error: null };
        } catch (error) {
          return { kernel, origin: "failed", gflops: null, measured: 0, error: messageOf(error) };
        }
      }),
    );
    const failed = rows.filter(({ error }) => error !== null);
    const table = textTable(
      ["kernel", "", "GFLOP/s", "measured"],
      rows.map(({ kernel, origin, gflops, measured }) => [kernel, origin, gflops?.toFixed(1) ?? "–", String(measured)]),
    );
    return {
      exitCode: failed.length > 0 ? exitCodes.wrong : exitCodes.done,
      json: { kernels: rows },
      text: rows.length === 0 ? "no imports of kernels found" : [table, ...failed.map(({ error }) => error)].join("\n"),
    };
  },
};
