// The binaries of one kernel with their statement, as the files of an answer: path → bytes. Made here from what was built, and
// checked here against the kernel that is wanted, before anybody loads them.

import { sha256 } from "../../compiler/index.ts";
import { canonicalJson } from "../data/key.ts";
import type { Candidate } from "../data/space.ts";
import type { SigningKey } from "./keys.ts";
import type { TrustPolicy } from "./policy.ts";
import { signStatement } from "./sign.ts";
import {
  decodeKernelStatement,
  type KernelPredicate,
  type KernelStatement,
  kernelPredicate,
  statementType,
} from "./statement.ts";
import { verifyBundle } from "./verify.ts";

export type Files = ReadonlyMap<string, Uint8Array>;

/** Path of the signature. */
export const statementPath = "statement.sigstore.json";
export const addonPath = "blobs/addon";

/** Digest of a decision. Its timing is left out: the lock rounds it, and the binary does not follow from it. */
export const decisionDigest = ({
  candidate,
  source,
}: {
  readonly candidate: Candidate;
  readonly source: string;
}): string => sha256(canonicalJson({ candidate, source }));

export type SignedKernelFacts = Omit<KernelPredicate, "sizes">;

/** Makes the statement on files: all that are there, each with digest and size. */
export function kernelStatementOf(facts: SignedKernelFacts, files: Files): KernelStatement {
  const sorted = [...files].sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    _type: statementType,
    subject: sorted.map(([name, bytes]) => ({ name, digest: { sha256: sha256(bytes) } })),
    predicateType: kernelPredicate,
    predicate: { ...facts, sizes: Object.fromEntries(sorted.map(([name, bytes]) => [name, bytes.length])) },
  };
}

/** Returns the files and, beside them, their signed statement. */
export async function signFiles(facts: SignedKernelFacts, files: Files, key: SigningKey): Promise<Files> {
  const bundle = await signStatement(kernelStatementOf(facts, files), key);
  return new Map([...files, [statementPath, Buffer.from(bundle)]]);
}

/** Kernel that a build wants, as its own facts say. */
export type WantedKernel = Pick<SignedKernelFacts, "scheduleKey" | "decision" | "platform" | "features">;

export type CheckedFiles =
  | { readonly kind: "trusted"; readonly addon: Uint8Array; readonly signer: string; readonly facts: KernelPredicate }
  | { readonly kind: "refused"; readonly why: string };

/** Checks the files of an answer: signed by whom, for which kernel, and whole. Nothing of them is loaded. */
export async function checkFiles(files: Files, wanted: WantedKernel, policy: TrustPolicy): Promise<CheckedFiles> {
  const refused = (why: string): CheckedFiles => ({ kind: "refused", why });
  const bundle = files.get(statementPath);
  if (!bundle) return refused("it is not signed");
  const verified = await verifyBundle(Buffer.from(bundle).toString("utf8"), policy);
  if (verified.kind === "refused") return verified;
  const decoded = decodeKernelStatement(verified.payload);
  if ("why" in decoded) return refused(`what ${verified.signer} signed is no statement on a kernel: ${decoded.why}`);
  const { predicate } = decoded.value;
  const problem = otherKernel(predicate, wanted) ?? otherFiles(decoded.value, files);
  const addon = files.get(addonPath);
  if (problem !== null || !addon) return refused(problem ?? "it has no addon");
  return { kind: "trusted", addon, signer: verified.signer, facts: predicate };
}

/** Says why a rightly signed statement is of another kernel; null: it is of this one. */
function otherKernel(signed: KernelPredicate, wanted: WantedKernel): string | null {
  if (signed.scheduleKey !== wanted.scheduleKey) return "it was signed for another kernel";
  if (signed.decision !== wanted.decision) return "it was built of another decision";
  if (signed.platform !== wanted.platform) return `it is for ${signed.platform}, this is ${wanted.platform}`;
  const features = (list: readonly string[]): string => list.toSorted().join(" ");
  if (features(signed.features) === features(wanted.features)) return null;
  return `it is for a CPU with ${features(signed.features)}`;
}

/** Says which file is not the one that was signed; null: all are, and there is no other. */
function otherFiles({ subject, predicate: { sizes } }: KernelStatement, files: Files): string | null {
  const names = subject.map(({ name }) => name);
  if (Object.keys(sizes).toSorted().join() !== names.toSorted().join()) return "its sizes are of other files";
  const unsigned = [...files.keys()].find((name) => name !== statementPath && !names.includes(name));
  if (unsigned !== undefined) return `${shown(unsigned)} is not signed`;
  for (const { name, digest } of subject) {
    const bytes = files.get(name);
    if (!bytes) return `${name} is missing`;
    if (bytes.length !== sizes[name] || sha256(bytes) !== digest.sha256)
      return `${name} is not the file that was signed`;
  }
  return null;
}

/** A path from outside, without what a terminal would obey. */
const shown = (path: string): string => path.replace(/[^\x20-\x7e]/g, "?").slice(0, 80);
