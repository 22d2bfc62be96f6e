// What is signed: an in-toto statement (https://in-toto.io/Statement/v1) on files by their digests. Of a kernel's binaries it says
// which decision they were built of, by what and for which CPU. Statement ↔ bytes, decoded strictly.

import { canonicalJson } from "../data/key.ts";
import { JsonTextError, parseLocatedJson } from "../support/located-json.ts";
import { type Decode, integer, list, mapOf, object, oneOf, ShapeError, sha256Hex, text } from "../support/strict.ts";

export const statementType = "https://in-toto.io/Statement/v1";
/** Type of the signed payload, which the signature covers. */
export const payloadType = "application/vnd.in-toto+json";

const base = "https://www.npmjs.com/package/unplugin-kernel/attestation";
export const kernelPredicate = `${base}/kernel/v1`;
export const decisionsPredicate = `${base}/decisions/v1`;

/** Most bytes of a payload: a statement has a few files and a hundred features. */
export const mostPayloadBytes = 65_536;
/** Most bytes of one signed file. */
export const mostBlobBytes = 2 ** 26;

export interface Subject {
  /** Path of the file beside the statement: `blobs/addon`. */
  readonly name: string;
  readonly digest: { readonly sha256: string };
}

/** Facts on the binaries of one kernel. */
export interface KernelPredicate {
  readonly scheduleKey: string;
  /** sha256 of the decision: template, assignment, and the digest of the source. */
  readonly decision: string;
  /** Bytes of each subject, by its name. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Identity of the compiler: "gcc 12.2.0 x86_64-linux-gnu 3f2a9c01". */
  readonly toolchain: string;
  /** `process.platform` and `process.arch`: "linux-x64". */
  readonly platform: string;
  /** Features of the CPU that the code uses. */
  readonly features: readonly string[];
  readonly builder: string;
  /** When it was built, in ISO 8601. Information alone: nothing proves it. */
  readonly time: string;
}

/** Facts on a file of decisions. */
export interface DecisionsPredicate {
  readonly decisions: number;
  readonly builder: string;
  readonly time: string;
}

interface StatementOf<Type extends string, Predicate> {
  readonly _type: typeof statementType;
  readonly subject: readonly Subject[];
  readonly predicateType: Type;
  readonly predicate: Predicate;
}

export type KernelStatement = StatementOf<typeof kernelPredicate, KernelPredicate>;
export type DecisionsStatement = StatementOf<typeof decisionsPredicate, DecisionsPredicate>;
export type Statement = KernelStatement | DecisionsStatement;

export const filePath = text(80, /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)?$/, "the path of a file");
const time = text(40, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/, "a time in ISO 8601");
const builder = text(200);

const decodeSubjects: Decode<readonly Subject[]> = (value, path) => {
  const subjects = list(object<Subject>({ name: filePath, digest: object({ sha256: sha256Hex }) }), 16)(value, path);
  const names = new Set(subjects.map(({ name }) => name));
  if (subjects.length === 0 || names.size < subjects.length) throw new ShapeError(path, "one file or more, each once");
  return subjects;
};

const statementOf = <Type extends string, Predicate>(
  type: Type,
  predicate: Decode<Predicate>,
): Decode<StatementOf<Type, Predicate>> =>
  object<StatementOf<Type, Predicate>>({
    _type: oneOf(statementType),
    subject: decodeSubjects,
    predicateType: oneOf(type),
    predicate,
  });

const decodeKernel = statementOf(
  kernelPredicate,
  object<KernelPredicate>({
    scheduleKey: sha256Hex,
    decision: sha256Hex,
    sizes: mapOf(filePath, integer(0, mostBlobBytes), 16),
    toolchain: text(200),
    platform: text(40),
    features: list(text(40), 100),
    builder,
    time,
  }),
);

const decodeDecisions = statementOf(
  decisionsPredicate,
  object<DecisionsPredicate>({ decisions: integer(0, 1_000_000), builder, time }),
);

export const statementBytes = (statement: Statement): Buffer => Buffer.from(canonicalJson(statement));

export type Decoded<T> = { readonly value: T } | { readonly why: string };

/** Parses JSON that is not trusted, without fields that stand twice, and decodes it. */
export function decodeJson<T>(content: string, mostBytes: number, decode: Decode<T>): Decoded<T> {
  if (Buffer.byteLength(content) > mostBytes) return { why: `it has more than ${mostBytes} bytes` };
  try {
    return { value: decode(parseLocatedJson(content).value, []) };
  } catch (error) {
    if (error instanceof ShapeError || error instanceof JsonTextError) return { why: error.message };
    throw error;
  }
}

/** Decodes a payload that was verified; another kind of statement, though rightly signed, is refused. */
export const decodeKernelStatement = (payload: Uint8Array): Decoded<KernelStatement> =>
  decodeJson(Buffer.from(payload).toString("utf8"), mostPayloadBytes, decodeKernel);

export const decodeDecisionsStatement = (payload: Uint8Array): Decoded<DecisionsStatement> =>
  decodeJson(Buffer.from(payload).toString("utf8"), mostPayloadBytes, decodeDecisions);
