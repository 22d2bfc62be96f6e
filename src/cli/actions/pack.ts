// `pack`: the project's tuned decisions as an npm package, for other projects and teams.

import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, resolve } from "node:path";
import { type DiagnosticError, refuse } from "../../compiler/index.ts";
import { replaceFile } from "../../native/file/replace-file.ts";
import { decisionsName, manifestField } from "../../plugin/packs/pack-manifest.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { replaceDecisions, signatureGone } from "../decisions/replace-decisions.ts";
import { badArgument } from "../flags/flags.ts";
import { type PackageFields, type PackInput, packFiles, packTable } from "../pack/pack-files.ts";
import { packRows } from "../pack/pack-rows.ts";
import { nameProblem } from "../pack/package-name.ts";
import { exitCodes, type Run } from "../project/command.ts";

/** Reads a package.json; null: there is none. One that is no JSON object counts as one without fields. */
function readPackage(file: string): PackageFields | null {
  if (!existsSync(file)) return null;
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof value === "object" && value !== null ? (value as PackageFields) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

const unwritable = (message: string, hint: string | null): DiagnosticError =>
  refuse("exchange.unwritable", message, hint);

/**
 * Returns the pack that lies in the folder; null: there is none.
 *
 * @throws DiagnosticError `exchange.unwritable` for a package that is something else, and for a file that would be overwritten
 */
function packBefore(folder: string): PackInput["before"] {
  const manifest = readPackage(join(folder, "package.json"));
  const other = ["README.md", decisionsName].find((name) => existsSync(join(folder, name)));
  if (!manifest && other !== undefined)
    throw unwritable(`${folder} has a ${other} that is of no pack`, "name a folder of its own for the pack");
  if (!manifest) return null;
  if (manifest[manifestField] === undefined)
    throw unwritable(`${folder} has a package that is no pack`, "name a folder of its own for the pack");
  const file = join(folder, decisionsName);
  return { manifest, decisions: existsSync(file) ? readFileSync(file, "utf8") : "" };
}

/** @throws DiagnosticError `command.bad-argument` */
function nameOf(given: unknown, before: PackInput["before"], project: PackageFields): string {
  const own = typeof project.name === "string" ? `${project.name}-kernels` : undefined;
  const name = given ?? before?.manifest.name ?? own;
  if (name === undefined) throw badArgument("the pack has no name", "--name @team/tuned-kernels");
  const why = nameProblem(name);
  if (why === null) return String(name);
  throw badArgument(`npm takes no package of the name ${JSON.stringify(name)}: ${why}`, "--name @team/tuned-kernels");
}

/**
 * Says whether a signature that lay beside the decisions is gone.
 *
 * @throws DiagnosticError `exchange.unwritable`
 */
function write(folder: string, files: Readonly<Record<string, string>>): boolean {
  try {
    const { [decisionsName]: decisions = "", ...others } = files;
    for (const [name, text] of Object.entries(others)) replaceFile(join(folder, name), text);
    return replaceDecisions(join(folder, decisionsName), decisions);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw unwritable(`${folder} cannot be written: ${error.message}`, null);
  }
}

export const run: Run = async (project, [given = ""], { name: wanted }) => {
  const { root } = project.options;
  const folder = resolve(root, given);
  const own = readPackage(join(root, "package.json")) ?? {};
  const before = packBefore(folder);
  const name = nameOf(wanted, before, own);
  const { packed, left } = await packRows(project);
  const ofNode = isBuiltin(name)
    ? [`note      ${name} is a module of Node's: an import of it does not lead to the pack`]
    : [];
  const lines = [...left.map(({ kernel, why }) => `left out  ${kernel}: ${why}`), ...ofNode];
  const json = { folder, name, kernels: packed.map(({ kernel, decision: { key } }) => ({ kernel, key })), left };
  if (packed.length === 0) {
    const text = [...lines, "nothing is written: no kernel of the project has a measured decision"].join("\n");
    return { exitCode: exitCodes.wrong, json, text };
  }
  const license = typeof own.license === "string" ? own.license : "UNLICENSED";
  const signatureRemoved = write(folder, packFiles({ name, license, kernels: packed, before }));
  const place = slashPath(root, folder);
  const last = `${name} in ${place}: look at its license, then npm publish ${place}`;
  const gone = signatureRemoved ? [signatureGone(join(place, decisionsName))] : [];
  const text = [packTable(packed), ...lines, "", ...gone, last].join("\n");
  return { exitCode: exitCodes.done, json: { ...json, signatureRemoved }, text };
};
