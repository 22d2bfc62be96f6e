// `cache trust`: the signers that the project trusts, and who signed what: the lock's entries, or a file of decisions.

import { basename, resolve } from "node:path";
import { DiagnosticError, refuse } from "../../compiler/index.ts";
import type { ResolvedTrust } from "../../plugin/options/trust-option.ts";
import { policyOf } from "../../plugin/trust/policy-of.ts";
import { outsideFile } from "../../plugin/trust/signed-file.ts";
import type { LockEntry } from "../../tuner/lock/lock-entry.ts";
import { readLockfile } from "../../tuner/lock/lockfile.ts";
import { signatureProblem } from "../../tuner/trust/lock-signature.ts";
import type { TrustPolicy } from "../../tuner/trust/policy.ts";
import { signerOfDecisions } from "../../tuner/trust/signed-decisions.ts";
import { exitCodes, type Outcome } from "../project/command.ts";
import type { Project } from "../project/project.ts";
import { readDecisions } from "./read-decisions.ts";

interface Row {
  readonly kernel: string;
  readonly state: "signed" | "unsigned" | "refused";
  /** Id of the key, or why the signature does not count. */
  readonly by: string | null;
}

function rowOf(kernel: string, entry: LockEntry, policy: TrustPolicy): Row {
  if (!entry.signature) return { kernel, state: "unsigned", by: null };
  const problem = signatureProblem(entry, policy);
  return problem === null
    ? { kernel, state: "signed", by: `key ${entry.signature.keyid}` }
    : { kernel, state: "refused", by: problem };
}

function signers({ keys, revoked, identities, require }: ResolvedTrust): readonly string[] {
  const ids = keys.map((line) => line.split(":")[1]!);
  const lines = [
    ...ids.map((id) => `${revoked.includes(id) ? "revoked" : "trusted"}  key ${id}`),
    ...revoked.filter((id) => !ids.includes(id)).map((id) => `revoked  key ${id}`),
    ...identities.map(({ identity, issuer }) => `trusted  ${identity}, by ${issuer}`),
  ];
  const signed = require.length === 0 ? "nothing has to be signed" : `has to be signed: ${require.join(", ")}`;
  return [...(lines.length === 0 ? ["no signer is trusted: --trust <file> names who is"] : lines), signed];
}

/** @throws DiagnosticError `lock.broken`, `lock.version`, `trust.bad-key` */
export async function listTrust({ options: { trust, lockfile } }: Project): Promise<Outcome> {
  const content = await readLockfile(lockfile);
  if (content.kind === "broken") throw new DiagnosticError(content.diagnostic);
  const policy = policyOf(trust);
  const kernels = [...content.entries].map(([name, entry]) => rowOf(name, entry, policy));
  const isWrong = ({ state }: Row): boolean =>
    state === "refused" || (state === "unsigned" && trust.require.includes("decision"));
  const lines = kernels.map(({ kernel, state, by }) => `${state.padEnd(8)} ${kernel}${by === null ? "" : `: ${by}`}`);
  const { keys, revoked, require, identities } = trust;
  return {
    exitCode: kernels.some(isWrong) ? exitCodes.wrong : exitCodes.done,
    json: { trust: { keys, revoked, require, identities }, kernels },
    text: [...signers(trust), "", ...lines].join("\n").trim(),
  };
}

/**
 * Says who signed a file of decisions.
 *
 * @throws DiagnosticError `trust.refused`, `exchange.unreadable`
 */
export async function checkFile({ options: { root, trust } }: Project, name: string): Promise<Outcome> {
  const file = resolve(root, name);
  const { digest, signature } = outsideFile(file, readDecisions(file));
  const text = await signature();
  const found = "why" in text ? text : await signerOfDecisions(digest, text.bundle, policyOf(trust));
  if ("why" in found) throw refuse("trust.refused", `${basename(file)} is refused: ${found.why}`, null);
  const { signer, predicate } = found;
  const said = `${basename(file)}: ${predicate.decisions} decisions, signed by ${signer}`;
  return { exitCode: exitCodes.done, json: { file, signer, ...predicate }, text: said };
}
