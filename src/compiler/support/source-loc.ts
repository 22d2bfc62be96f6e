// A place in the user's operator file.

export interface SourceLoc {
  readonly file: string;
  /** Number of the line, from 1. */
  readonly line: number;
  /** Number of the column, from 1. */
  readonly column: number;
}
