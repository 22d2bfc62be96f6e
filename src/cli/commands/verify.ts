// `verify`: the lock against the project's imports, its decisions against their sources, and what is built of them against the reference.

import { relative } from "node:path";
import { DiagnosticError } from "../../compiler/index.ts";
import { failAlone } from "../../plugin/compile/fail-alone.ts";
import { verifyKernel } from "../../plugin/compile/verify-kernel.ts";
import type { ParsedRequest } from "../../plugin/request.ts";
import { readLockfile } from "../../tuner/store/lockfile.ts";
import { type Command, exitCodes } from "../command.ts";
import type { Project } from "../project.ts";
import { importedKernels } from "../wanted-kernels.ts";

interface Row {
  readonly kernel: string;
  readonly state: "right" | "not run" | "wrong";
  readonly why: string | null;
}

interface Checked {
  readonly row: Row;
  /** Name of its entry in the lock. */
  readonly lockName: string | null;
}

async function check({ contextOf, options: { root } }: Project, asked: ParsedRequest): Promise<Checked> {
  const kernel = relative(root, asked.path) + asked.query;
  let lockName: string | null = null;
  try {
    return await failAlone(kernel, null, async (): Promise<Checked> => {
      const context = await contextOf(asked, "frozen");
      lockName = context.lockName;
      const { notRun } = await verifyKernel(context);
      return { lockName, row: { kernel, state: notRun ? "not run" : "right", why: notRun } };
    });
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return { lockName, row: { kernel, state: "wrong", why: error.message } };
  }
}

/** Row of an import that leads to no operator file: the project does not have the kernel that it asks for. */
const lostRow = (root: string, specifier: string, importer: string): Row => ({
  kernel: specifier,
  state: "wrong",
  why: `the import in ${relative(root, importer)} leads to no operator file`,
});

export const verify: Command = {
  usage: "verify",
  description:
    "Check the lock: every import has its entry, entries lead to their sources, kernels compute the right numbers",
  options: [{ flags: "--trust <file>", description: "JSON file with the value of option trust" }],
  examples: ["unplugin-kernel verify", "unplugin-kernel verify --trust kernels.trust.json"],
  async run(project) {
    const { lockfile, root } = project.options;
    const content = await readLockfile(lockfile);
    if (content.kind === "broken") throw new DiagnosticError(content.diagnostic);
    const rows: Row[] = [];
    const used = new Set<string>();
    const kernels = await importedKernels(project, (specifier, importer) => {
      rows.push(lostRow(root, specifier, importer));
    });
    // One after the other: they are measured.
    for (const request of kernels) {
      const { row, lockName } = await check(project, request);
      rows.push(row);
      if (lockName) used.add(lockName);
    }
    const unused = [...content.entries.keys()].filter((name) => !used.has(name));
    const wrong = rows.filter(({ state }) => state === "wrong");
    const lines = rows.map(({ kernel, state, why }) => `${state.padEnd(8)} ${kernel}${why ? `: ${why}` : ""}`);
    return {
      exitCode: wrong.length > 0 ? exitCodes.wrong : exitCodes.done,
      json: { kernels: rows, unused },
      text: [...lines, ...unused.map((name) => `unused   ${name}: nothing imports it`)].join("\n"),
    };
  },
};
