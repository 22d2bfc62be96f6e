// Colours for what a command prints on a terminal: heads of tables, and words that say whether something is right. The text
// itself is the same without them.

import { styleText } from "node:util";

type Colour = Parameters<typeof styleText>[0];

const words: Readonly<Record<string, Colour>> = {
  yes: "green",
  right: "green",
  no: "red",
  wrong: "red",
  failed: "red",
  unused: "yellow",
};

/**
 * Says whether a stream shows colours: it is a terminal, and neither NO_COLOR nor the kind of terminal forbids them
 * (Node looks at both).
 */
export const hasColours = (stream: { readonly isTTY?: boolean; hasColors?: () => boolean }): boolean =>
  stream.isTTY === true && stream.hasColors?.() === true;

const styled = (style: Colour, text: string): string => styleText(style, text, { validateStream: false });

/** Cells that are one of the words, with the blanks around them. */
const colouredCells = (line: string): string =>
  line.replace(/\| (\w+)(?= *\|)/g, (cell, word: string) => (words[word] ? `| ${styled(words[word], word)}` : cell));

function colouredLine(line: string, at: number, lines: readonly string[]): string {
  if (/^\|[-|: ]+\|$/.test(line)) return styled("dim", line);
  if (line.startsWith("| "))
    return /^\|[-|: ]+\|$/.test(lines[at + 1] ?? "") ? styled("bold", line) : colouredCells(line);
  if (line.startsWith("── ")) return styled("bold", line);
  const first = /^(right|wrong|unused)(?= )/.exec(line)?.[1];
  return first ? styled(words[first]!, first) + line.slice(first.length) : line;
}

/** The text with colours, line by line. */
export const coloured = (text: string): string => text.split("\n").map(colouredLine).join("\n");
