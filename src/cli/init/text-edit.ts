// Insertions into the text of objects and lists, in the style that the text has: its indentation, ends of lines, commas and quotes.

import type { ArrayExpression, ObjectExpression } from "./syntax.ts";

export interface Insertion {
  readonly at: number;
  readonly text: string;
}

export const endOfLine = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");

/** Indentation of one level, taken from the first indented line of a text; default: two spaces. */
export const indentUnit = (text: string): string => /^(\t| +)\S/m.exec(text)?.[1] ?? "  ";

/** White space at the beginning of the line on which a place is. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)![0];
}

/** Applies all insertions; the place of each is one in the text before any of them. */
export function insert(text: string, insertions: readonly Insertion[]): string {
  const fromLast = [...insertions].sort((a, b) => b.at - a.at);
  return fromLast.reduce((edited, { at, text: added }) => edited.slice(0, at) + added + edited.slice(at), text);
}

/** Inserts an element before the others: bundlers without an order of their own ask plugins in the order of the list. */
export function firstElement(
  text: string,
  { start, end, elements: [first] }: ArrayExpression,
  element: string,
): Insertion {
  const at = start + 1;
  if (!first) {
    // Comments of a list without elements say where some are to come.
    const commentIndent = /\n([ \t]*)\S/.exec(text.slice(at, end - 1))?.[1];
    return { at, text: commentIndent === undefined ? element : `${endOfLine(text)}${commentIndent}${element},` };
  }
  const gap = text.slice(at, first.start);
  if (gap.includes("\n")) return { at, text: `${endOfLine(text)}${indentAt(text, first.start)}${element},` };
  return { at, text: gap.trim() === "" && gap !== "" ? `${gap}${element},` : `${element}, ` };
}

/** Inserts an element behind the last of a list that has some. */
export function lastElement(text: string, { elements }: ArrayExpression, element: string): Insertion {
  const last = elements.at(-1)!;
  const line = text.slice(text.lastIndexOf("\n", last.start) + 1, last.start);
  const separator = line.trim() === "" ? endOfLine(text) + line : " ";
  return { at: last.end, text: `,${separator}${element}` };
}

/** Inserts a property into an object that has none. */
function onlyProperty(text: string, { start, end }: ObjectExpression, property: string): Insertion {
  const eol = endOfLine(text);
  const outer = indentAt(text, start);
  const isOpen = text.slice(start, end).includes("\n");
  return { at: start + 1, text: `${eol}${outer}${indentUnit(text)}${property}${isOpen ? "" : eol + outer}` };
}

/** Inserts a property behind the one named, else behind the last; but where a comment follows it, in front of the first. */
export function newProperty(text: string, object: ObjectExpression, property: string, behind = -1): Insertion {
  const { properties, start, end } = object;
  const first = properties[0];
  const last = properties.at(behind);
  if (!first || !last) return onlyProperty(text, object, property);
  const isOpen = text.slice(start, first.start).includes("\n");
  const separator = isOpen ? endOfLine(text) + indentAt(text, first.start) : " ";
  if (behind === -1 && /\/[/*]/.test(text.slice(last.end, end)))
    return { at: start + 1, text: `${separator}${property},` };
  return { at: last.end, text: `,${separator}${property}` };
}
