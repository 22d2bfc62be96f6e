// The file that a worker writes who has its job in a file, as under Slurm: the end of the job and the results by their names, each
// sealed as in a queue. Text → decoded, or null.

import { type Decode, mapOf, nullable, object, parseStrict, sha256Hex, text } from "../support/strict.ts";

export interface JobFile {
  /** Sealed end of the job; null: it was refused. */
  readonly end: string | null;
  readonly refused: string | null;
  readonly results: Readonly<Record<string, string>>;
}

const sealed = text(1e6, /^[^\0]*$/s, "a sealed text");

const decode: Decode<JobFile> = object<JobFile>({
  end: nullable(sealed),
  refused: nullable(sealed),
  results: mapOf(sha256Hex, sealed, 1000),
});

export const parseJobFile = (content: string): JobFile | null => parseStrict(content, decode);
