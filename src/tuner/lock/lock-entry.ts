// One kernel's entry in kernels.lock.json: enough to rebuild it byte for byte without measuring, and to see what was
// decided, where, and how good it was. Strict decoding, stable printing, and the question "does it still hold?".

import { codegenVersion, type Numerics, type Target, targetNamed } from "../../compiler/index.ts";
import type { DecidedCandidate } from "../data/decision.ts";
import { decodeCandidate } from "../data/decode-record.ts";
import { canonicalJson } from "../data/key.ts";
import { decodeTarget, encodeTarget, type TargetJson } from "../data/target-json.ts";
import { decodeMeasured, type Measured } from "../store/store-entry.ts";
import {
  type Decode,
  either,
  integer,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Path,
  ShapeError,
  sha256Hex,
  text,
} from "../support/strict.ts";

export interface LockEntry extends DecidedCandidate {
  readonly op: {
    readonly name: string;
    /** sha256 of the operator's canonical text. */
    readonly digest: string;
    /** Parameters of the import. The digest covers them too; they are here for the reader. */
    readonly parameters: Readonly<Record<string, number | string>>;
  };
  /** The whole target: the space, and so the meaning of the decisions, depends on its numbers. */
  readonly target: Target;
  readonly numerics: Numerics;
  readonly threads: number;
  /** Version of the space rules, passes and code generators together. */
  readonly codegen: string;
  /** Measurement of the winner; null for a predicted schedule. */
  readonly measured: Measured | null;
  /** Signature of the other fields, by a key that option `trust` may list. */
  readonly signature?: EntrySignature | undefined;
}

export interface EntrySignature {
  /** Id of the key. */
  readonly keyid: string;
  /** Bytes of the signature in base64: 64 of ed25519. */
  readonly sig: string;
}

/** Most characters of an operator's name. */
export const longestOpName = 100;

/** Fields of a target in which machines of one name may differ: its caches, core and threads. */
const ofMachine: ReadonlySet<string> = new Set(["l1Bytes", "l2Bytes", "l3Bytes", "core", "threads"]);

/**
 * Refuses a target that says of itself something else than the table of targets says of its name. A foreign back end's target is
 * compared where the back end is known.
 */
function checkNamed(target: Target, path: Path): void {
  const known = targetNamed(target.name);
  if (!known) return;
  const own: Partial<Record<string, unknown>> = { ...encodeTarget(target) };
  for (const [field, value] of Object.entries(encodeTarget(known)))
    if (!ofMachine.has(field) && canonicalJson(own[field] ?? null) !== canonicalJson(value))
      throw new ShapeError([...path, field], `${canonicalJson(value)}, as the target is ${target.name}`);
}

const decodeFields: Decode<LockEntry> = object<LockEntry>({
  op: object<LockEntry["op"]>({
    name: text(longestOpName, /^[A-Za-z_$][\w$]*$/, "an identifier"),
    digest: sha256Hex,
    parameters: mapOf(text(100), either(number(-(2 ** 53), 2 ** 53), text(100)), 100),
  }),
  target: decodeTarget,
  numerics: oneOf("fast", "strict"),
  threads: integer(1, 4096),
  codegen: text(100),
  candidate: decodeCandidate,
  source: sha256Hex,
  measured: nullable(decodeMeasured),
  signature: optional(
    object<EntrySignature>({
      keyid: text(64, /^[a-z0-9][a-z0-9._-]*$/, "the id of a key"),
      sig: text(88, /^[A-Za-z0-9+/]{86}==$/, "64 bytes in base64"),
    }),
  ),
});

/** Decodes an entry. The target of another code generator's entry is not compared: its table may have been another one. */
export const decodeLockEntry: Decode<LockEntry> = (value, path) => {
  const entry = decodeFields(value, path);
  if (entry.codegen === codegenVersion) checkNamed(entry.target, [...path, "target"]);
  return entry;
};

/** Significant digits of a measured number in a lock: more are noise in diffs. */
const digits = 4;

const rounded = (value: number): number => Number(value.toPrecision(digits));

/** Returns a measurement as a lock keeps it, with its numbers rounded. */
export const conciseMeasured = (measured: Measured): Measured => ({
  ...measured,
  medianNs: rounded(measured.medianNs),
  gflops: rounded(measured.gflops),
});

/** Returns the entry as a lock keeps it. */
export const concise = (entry: LockEntry): LockEntry => ({
  ...entry,
  measured: entry.measured && conciseMeasured(entry.measured),
});

/**
 * Fields in the order in which they are printed, one a line: a diff shows the decision that changed, and two branches
 * merge.
 */
const lineOrder = [
  "op",
  "target",
  "numerics",
  "threads",
  "codegen",
  "candidate",
  "source",
  "measured",
  "signature",
] as const satisfies readonly (keyof LockEntry)[];

/** An entry as its file has it. */
export const lockEntryJson = <Entry extends Pick<LockEntry, "target">>(
  entry: Entry,
): Omit<Entry, "target"> & { readonly target: TargetJson } => ({ ...entry, target: encodeTarget(entry.target) });

export function printLockEntry(entry: LockEntry, indent: string): string {
  const present = lineOrder.filter((field) => entry[field] !== undefined);
  const json = lockEntryJson(entry);
  const lines = present.map((field) => `${indent}  "${field}": ${spaced(canonicalJson(json[field]))}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

/** Adds a space after each comma and colon that is not inside a string. */
const spaced = (json: string): string =>
  json.replace(/("(?:[^"\\]|\\.)*")|([,:])/g, (_, quoted: string | undefined, mark: string) => quoted ?? `${mark} `);

/** Inputs of a build that must be as they were for an entry to hold. */
export type LockRequest = Pick<LockEntry, "target" | "numerics" | "threads" | "codegen"> & {
  readonly opDigest: string;
};

/**
 * Returns why an entry does not answer the request, in words, or null if it does. Cache sizes and registers are preferences of
 * the machine that tuned, not requirements: only the target's name and features have to agree.
 */
export function staleReason(entry: LockEntry, request: LockRequest): string | null {
  if (entry.op.digest !== request.opDigest) return "the operator was changed";
  if (entry.target.name !== request.target.name) return `it is for target ${entry.target.name}`;
  if (canonicalJson(entry.target.features) !== canonicalJson(request.target.features))
    return `it is for the features ${entry.target.features.join(" ")}, wanted are ${request.target.features.join(" ")}`;
  if (entry.numerics !== request.numerics) return `it is for numerics "${entry.numerics}"`;
  if (entry.threads !== request.threads) return `it is for ${entry.threads} threads`;
  if (entry.codegen !== request.codegen)
    return `it was made by code generator ${entry.codegen}, this is ${request.codegen}`;
  return null;
}
