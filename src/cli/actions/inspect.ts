// `inspect`: one kernel from its expression to its code, with the schedule of the lock or the store, else the predicted one.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { resolveImport } from "../../plugin/declarations/resolve-import.ts";
import { knownSchedule } from "../../plugin/kernel/decision/known-schedule.ts";
import { parseRequest } from "../../plugin/request/request.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { inspectCandidate, templateSizes } from "../../tuner/report/inspect.ts";
import { generateSpace } from "../../tuner/space/generate.ts";
import { badArgument } from "../flags/flags.ts";
import { type InspectPart, inspectParts } from "../flags/inspect-parts.ts";
import { exitCodes, type Run } from "../project/command.ts";

function partOf(given: unknown): InspectPart | null {
  if (given === undefined) return null;
  const part = inspectParts.find((name) => name === given);
  if (!part) throw badArgument(`--only is "${given}"`, inspectParts.join(", "));
  return part;
}

/** File of an operator, given as a path from the root, or as an import in a file of the project. */
const operatorOf = async (given: string, path: string, root: string): Promise<string> =>
  existsSync(path) ? path : ((await resolveImport(given, join(root, "any.ts"), root)) ?? path);

const title = (name: string, text: string): string =>
  `── ${name} ${"─".repeat(Math.max(0, 76 - name.length))}\n${text}`;

export const run: Run = async ({ contextOf, options: { root } }, [given = ""], { only, simplify }) => {
  const wanted = partOf(only);
  const request = parseRequest(given);
  if (!request) throw badArgument(`"${given}" is no import of a kernel`, "one as ./gemm.op.ts?tune=avx2");
  const path = await operatorOf(given, resolve(root, request.path), root);
  const { task, candidate, origin } = await knownSchedule(await contextOf({ ...request, path }, "predict"));
  const space = generateSpace(task);
  const { text: _, passes, ...inspection } = inspectCandidate(task, space, candidate, { simplify: Boolean(simplify) });
  const decisions = Object.entries(candidate.assignment).map(([name, value]) => `${name} = ${value}`);
  const texts: Readonly<Record<InspectPart, string>> = {
    expression: inspection.expression,
    space: templateSizes(space).join("\n"),
    schedule: [`${origin}: ${candidate.template}`, ...decisions].join("\n"),
    typescript: inspection.typescript,
    nest: inspection.nest,
    passes: passes.map(({ name, text }) => title(name, text)).join("\n"),
    code: inspection.code,
  };
  const whole = inspectParts.filter((part) => part !== "passes").map((part) => title(part, texts[part]));
  return {
    exitCode: exitCodes.done,
    json: { kernel: slashPath(root, path) + request.query, origin, candidate, ...texts },
    text: wanted ? texts[wanted] : whole.join("\n\n"),
  };
};
