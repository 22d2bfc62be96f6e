// A place in the user's operator file.

export interface SourceLoc {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}
