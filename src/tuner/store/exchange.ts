// Decisions of a store as a file for others: a header, then one decision a line, sorted by key. Data alone, no binaries: the importer
// generates the sources again and compares their digests. Read strictly; a file that is wrong anywhere is not taken.

import { decodeCandidate } from "../data/decode-record.ts";
import { canonicalJson } from "../data/key.ts";
import type { Candidate } from "../data/space.ts";
import { type Decode, integer, object, oneOf, optional, ShapeError, sha256Hex } from "../support/strict.ts";
import { decodeMeasured, decodeTunedFor, type Measured, type ScheduleEntry, type TunedFor } from "./store-entry.ts";

export interface SharedDecision {
  /** The schedule key: operator, target, numerics, threads and code generator. */
  readonly key: string;
  readonly candidate: Candidate;
  /** sha256 of the source that the candidate generates. */
  readonly source: string;
  readonly measured: Measured;
  /** Absent, as in files of older versions: the cache sizes are those of the key, and no other machine is served. */
  readonly tunedFor?: TunedFor | undefined;
}

/** Returns an entry of the store as others get it; null: it is a prediction. */
export const sharedDecision = (
  key: string,
  { candidate, source, measured, tunedFor }: ScheduleEntry,
): SharedDecision | null => measured && { key, candidate, source, measured, ...(tunedFor && { tunedFor }) };

export interface LineProblem {
  /** Line number, from 1. */
  readonly line: number;
  readonly why: string;
}

export type ParsedExchange =
  | { readonly kind: "ok"; readonly decisions: readonly SharedDecision[] }
  | { readonly kind: "wrong"; readonly problems: readonly LineProblem[] };

const format = "unplugin-kernel decisions";
const schema = 1;
const mostDecisions = 1_000_000;
/** Longest line, in characters: the store keeps entries of up to this size, so a longer one is not from a store. */
const mostLineLength = 65_536;
/** Problems named of one file: a megabyte of empty lines would be a million of them, each with its own refusal to build and to print. */
const mostProblems = 20;

interface Header {
  readonly format: string;
  readonly schema: number;
  /** Number of decisions, which tells a file that was cut between two lines from a whole one. */
  readonly decisions: number;
}

const decodeHeader: Decode<Header> = object<Header>({
  format: oneOf(format),
  schema: oneOf(schema),
  decisions: integer(0, mostDecisions),
});

const decodeDecision: Decode<SharedDecision> = object<SharedDecision>({
  key: sha256Hex,
  candidate: decodeCandidate,
  source: sha256Hex,
  measured: decodeMeasured,
  tunedFor: optional(decodeTunedFor),
});

/** Prints decisions: the same text for the same decisions in any order. */
export function printExchange(decisions: readonly SharedDecision[]): string {
  const sorted = [...decisions].sort((a, b) => (a.key < b.key ? -1 : 1));
  const header: Header = { format, schema, decisions: sorted.length };
  return [header, ...sorted].map((line) => `${canonicalJson(line)}\n`).join("");
}

type Line<T> = { readonly value: T } | { readonly why: string };

function readLine<T>(text: string, decode: Decode<T>): Line<T> {
  if (text.length > mostLineLength) return { why: `it has more than ${mostLineLength} letters` };
  try {
    return { value: decode(JSON.parse(text), []) };
  } catch (error) {
    if (error instanceof SyntaxError) return { why: "it is no JSON" };
    if (error instanceof ShapeError) return { why: error.message };
    throw error;
  }
}

/** Parses a file. Names the first 20 lines that are wrong; a wrong header, such as another version's, is the only problem named. */
export function parseExchange(text: string): ParsedExchange {
  const isWhole = text.endsWith("\n");
  const [first = "", ...rest] = (isWhole ? text.slice(0, -1) : text).split("\n");
  const header = readLine(first, decodeHeader);
  if ("why" in header) return { kind: "wrong", problems: [{ line: 1, why: header.why }] };
  const problems: LineProblem[] = [];
  const decisions = new Map<string, SharedDecision>();
  for (const [at, content] of rest.entries()) {
    const line = at + 2;
    if (problems.length === mostProblems) {
      problems.push({ line, why: "what follows was not read: too many lines are wrong" });
      return { kind: "wrong", problems };
    }
    const read = readLine(content, decodeDecision);
    if ("why" in read) problems.push({ line, why: read.why });
    else if (decisions.has(read.value.key)) problems.push({ line, why: "its key stands in the file twice" });
    else decisions.set(read.value.key, read.value);
  }
  const { decisions: wanted } = header.value;
  const last = rest.length + 1;
  if (!isWhole) problems.push({ line: last, why: "the file ends within the line" });
  else if (rest.length !== wanted) {
    problems.push({ line: last, why: `the file ends here, with ${rest.length} of ${wanted} decisions` });
  }
  return problems.length > 0 ? { kind: "wrong", problems } : { kind: "ok", decisions: [...decisions.values()] };
}
