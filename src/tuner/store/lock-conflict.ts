// A lock file in which git left the marks of a conflict → the kernels that they are about, and the texts of its sides.

/** Texts of a file as each side of a merge has it. */
export interface Sides {
  readonly ours: string;
  readonly theirs: string;
  /** Text before both changes, which git leaves in the style diff3 alone; null: it is not there. */
  readonly base: string | null;
}

type Side = keyof Sides;

const mark = /^(<{7}|\|{7}|={7}|>{7})( |$)/;

/** Side that begins behind a mark; null: the lines of all sides go on. */
const sideBehind: Readonly<Record<string, Side | null>> = { "<": "ours", "|": "base", "=": "theirs", ">": null };

/** Lines of a text without the marks, each with the side that it is of. */
function linesOf(text: string): readonly { readonly line: string; readonly side: Side | null }[] {
  let side: Side | null = null;
  const lines: { line: string; side: Side | null }[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (mark.test(line)) side = sideBehind[line[0]!]!;
    else lines.push({ line, side });
  }
  return lines;
}

export const hasConflict = (text: string): boolean => text.split(/\r?\n/).some((line) => mark.test(line));

/** Takes a conflict apart: each side is the text with its own lines in place of the marks. */
export function sidesOf(text: string): Sides {
  const lines = linesOf(text);
  const textOf = (wanted: Side): string =>
    lines.flatMap(({ line, side }) => (side === null || side === wanted ? [line] : [])).join("\n");
  return {
    ours: textOf("ours"),
    theirs: textOf("theirs"),
    base: lines.some(({ side }) => side === "base") ? textOf("base") : null,
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
  for (const { line, side } of linesOf(text)) {
    const begun = entryLine.exec(line)?.[1];
    if (begun) current = nameIn(begun);
    if (side !== null && current !== null && line.trim() !== "}" && line.trim() !== "},") names.add(current);
  }
  return [...names].sort();
}
