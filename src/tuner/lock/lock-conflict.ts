// A lock file in which git left the marks of a conflict → the kernels that they are about, and the texts of its sides.

/** Texts of a file as each side of a merge has it. */
export interface Sides {
  readonly ours: string;
  readonly theirs: string;
  /** Text before both changes, which git leaves in the style diff3 alone; null: it is not there. */
  readonly base: string | null;
}

type Side = keyof Sides;

/** A line with a mark of git's, of which the first letter says what follows. */
const markLine = /(?<=^|\n)([<|=>])\1{6}(?: [^\n]*)?(?=\n|$)/;

/** Side that begins behind a mark; null: the lines of all sides go on. */
const sideBehind: Readonly<Record<string, Side | null>> = { "<": "ours", "|": "base", "=": "theirs", ">": null };

const withoutReturns = (text: string): string => text.replaceAll("\r\n", "\n");

/** Whole lines between two marks, or a mark and an end. */
interface ConflictBlock {
  readonly lines: string;
  readonly side: Side | null;
}

/** Takes a text apart at its marks. Between two that follow each other there is no block. */
function blocksOf(text: string): readonly ConflictBlock[] {
  const [first = "", ...rest] = withoutReturns(text).split(markLine);
  if (rest.length === 0) return [{ lines: first, side: null }];
  const blocks: ConflictBlock[] = first === "" ? [] : [{ lines: first.slice(0, -1), side: null }];
  for (let at = 0; at < rest.length; at += 2) {
    const [letter, between] = [rest[at]!, rest[at + 1]!];
    const isLast = at + 2 === rest.length;
    const lines = isLast ? between : between.slice(0, -1);
    if (lines !== "") blocks.push({ lines: lines.slice(1), side: sideBehind[letter]! });
  }
  return blocks;
}

export const hasConflict = (text: string): boolean => markLine.test(withoutReturns(text));

/** Takes a conflict apart: each side is the text with its own lines in place of the marks. */
export function sidesOf(text: string): Sides {
  const blocks = blocksOf(text);
  const textOf = (wanted: Side): string =>
    blocks.flatMap(({ lines, side }) => (side === null || side === wanted ? [lines] : [])).join("\n");
  return {
    ours: textOf("ours"),
    theirs: textOf("theirs"),
    base: blocks.some(({ side }) => side === "base") ? textOf("base") : null,
  };
}

/** A line that begins a kernel's entry, as `printLockfile` writes it. */
const entryLine = /^ {4}("(?:[^"\\]|\\.)*"): \{$/;

/** Name in the text of a JSON string; null: the text is none. */
function nameIn(literal: string): string | null {
  try {
    return JSON.parse(literal);
  } catch {
    return null;
  }
}

/** Names the kernels whose entries are between marks, wholly or in part, sorted. */
export function kernelsInConflict(text: string): readonly string[] {
  const names = new Set<string>();
  let current: string | null = null;
  for (const { lines, side } of blocksOf(text))
    for (const line of lines.split("\n")) {
      const begun = line.startsWith("    ") && entryLine.exec(line)?.[1];
      if (begun) current = nameIn(begun);
      if (side !== null && current !== null && line.trim() !== "}" && line.trim() !== "},") names.add(current);
    }
  return [...names].sort();
}
