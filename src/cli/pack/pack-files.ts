// The files of a pack: a package.json, the decisions, and a README that says what is inside. Fields of a package.json that is there
// already stay, and its version is raised where the decisions have changed.

import { codegenVersion } from "../../compiler/index.ts";
import { decisionsName, manifestField, type PackManifest, packSchema } from "../../plugin/packs/pack-manifest.ts";
import { textTable } from "../../tuner/report/text-table.ts";
import { printExchange } from "../../tuner/store/exchange.ts";
import { signatureOf } from "../../tuner/trust/signed-decisions.ts";
import type { PackRow } from "./pack-rows.ts";

export type PackageFields = Readonly<Record<string, unknown>>;

export interface PackInput {
  readonly name: string;
  /** SPDX expression, or UNLICENSED. */
  readonly license: string;
  readonly kernels: readonly PackRow[];
  /** Pack that is written again; null: there is none. */
  readonly before: { readonly manifest: PackageFields; readonly decisions: string } | null;
}

/** Files by name. */
export function packFiles({ name, license, kernels, before }: PackInput): Readonly<Record<string, string>> {
  const decisions = printExchange(uniqueDecisions(kernels));
  const known = before?.manifest ?? {};
  const version =
    before && typeof known.version === "string" ? nextVersion(known.version, before.decisions !== decisions) : "1.0.0";
  const field: PackManifest = { pack: packSchema, codegen: codegenVersion, decisions: decisionsName };
  const description = "Tuned schedules of kernels for unplugin-kernel";
  const keywords = ["unplugin-kernel", "unplugin-kernel-pack"];
  const own = { name, version, files: [decisionsName, signatureOf(decisionsName)], [manifestField]: field };
  const manifest = Object.assign({ name, version, description, license, keywords }, known, own);
  return {
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
    [decisionsName]: decisions,
    "README.md": readmeOf(name, kernels),
  };
}

/** Kernels that differ in their file alone have one key. */
const uniqueDecisions = (kernels: readonly PackRow[]): readonly PackRow["decision"][] => [
  ...new Map(kernels.map(({ decision }) => [decision.key, decision])).values(),
];

/** "1.2.3" → "1.2.4" */
function nextVersion(version: string, isChanged: boolean): string {
  const [, start, patch] = /^(\d+\.\d+\.)(\d{1,15})(?!\d)/.exec(version) ?? [];
  return isChanged && start !== undefined ? `${start}${Number(patch) + 1}` : version;
}

function readmeOf(name: string, kernels: readonly PackRow[]): string {
  const rows = kernels.map(({ kernel, decision: { measured } }) => [
    `\`${kernel.replaceAll("|", "\\|")}\``,
    measured.gflops.toPrecision(3),
    measured.toolchain,
    measured.machine,
  ]);
  const table = [["kernel", "GFLOP/s", "measured with", "on"], ["---", "---", "---", "---"], ...rows];
  return `# ${name}

Tuned schedules for [unplugin-kernel](https://www.npmjs.com/package/unplugin-kernel), code generator ${codegenVersion}. Data alone: a build
makes each kernel again from its decisions, compares it with the reference, and measures it on its own machine.

    kernel({ packs: ["${name}"] })

${table.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}
`;
}

/** Table of what was packed, for people. */
export const packTable = (kernels: readonly PackRow[]): string =>
  textTable(
    ["kernel", "GFLOP/s"],
    kernels.map(({ kernel, decision }) => [kernel, decision.measured.gflops.toFixed(1)]),
  );
