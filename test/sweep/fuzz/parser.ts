// What a parser of outside data has to say of itself to be fuzzed.

/** Printed form of an accepted input; null: it was refused. */
export type Read = string | null;

export interface FuzzedParser {
  /** Name for `--parser`, and in test/runs.jsonl. */
  readonly name: string;
  /** Valid inputs, made by our own printers where there are any. */
  readonly seeds: () => readonly string[];
  /**
   * Reads an input: what was accepted, printed again as an input of the same parser; null where it was refused as the parser says that it
   * refuses. Anything thrown is a defect.
   */
  readonly read: (text: string) => Read | Promise<Read>;
  /** False for a parser without a printer: what was accepted is then printed as JSON, and not read again. Default: true. */
  readonly isPrinted?: boolean;
  /** Share of a run's inputs that the parser gets, where each costs far more than others' do: it starts a process or asks a bundler. Default: 1. */
  readonly share?: number;
}

/** Runs a parser that refuses by throwing errors of some classes; null where it throws one of them. */
export function unless<T>(refusals: readonly (abstract new (...args: never[]) => Error)[], parse: () => T): T | null {
  try {
    return parse();
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal)) return null;
    throw error;
  }
}

/** Runs a parser that refuses by rejecting with errors of some classes; null where it does. */
export async function unlessRejected<T>(
  refusals: readonly (abstract new (...args: never[]) => Error)[],
  parse: () => Promise<T>,
): Promise<T | null> {
  try {
    return await parse();
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal)) return null;
    throw error;
  }
}

/** A parser of JSON text that refuses what `decode` refuses, and prints what it decoded. */
export const ofJson =
  (refusal: abstract new (...args: never[]) => Error, decode: (value: unknown) => unknown) =>
  (text: string): string | null => {
    const value = unless([refusal, SyntaxError], () => decode(JSON.parse(text)));
    return value === null ? null : JSON.stringify(value);
  };
