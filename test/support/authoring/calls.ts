// The text of an operator file → its calls, with the places of their arguments: what mistakes are planted with.

export interface Call {
  /** Name as it is written: "tensor", "op.sum", "column.ge". */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly args: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

const closers: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** All calls, an outer one before those in its arguments. */
export function callsIn(source: string): readonly Call[] {
  const body = source.replaceAll(/^import .*$/gm, (line) => " ".repeat(line.length));
  return [...body.matchAll(/(?<![\w$])(?!if\b|for\b|while\b|switch\b|function\b)[A-Za-z_$][\w$.]*(?=\()/g)]
    .map((match) => {
      const start = match.index;
      const open = start + match[0].length;
      const isDeclaration = /function\s+$/.test(body.slice(0, start));
      const { args, end } = argumentsFrom(source, open);
      return { name: isDeclaration ? "" : match[0], start, end, args };
    })
    .filter(({ name }) => name !== "");
}

function argumentsFrom(source: string, open: number): Pick<Call, "args" | "end"> {
  const args: { start: number; end: number; text: string }[] = [];
  const waiting: string[] = [];
  let start = open + 1;
  const close = (end: number): void => {
    const text = source.slice(start, end);
    if (text.trim() !== "") args.push({ start, end, text });
    start = end + 1;
  };
  for (let at = open; at < source.length; at++) {
    const char = source[at]!;
    if (char === '"') at = source.indexOf('"', at + 1);
    else if (char in closers) waiting.push(closers[char]!);
    else if (char === waiting.at(-1)) {
      waiting.pop();
      if (waiting.length > 0) continue;
      close(at);
      return { args, end: at + 1 };
    } else if (char === "," && waiting.length === 1) close(at);
  }
  throw new Error(`a call without an end at ${open}`);
}

/** The source with another text from `start` to `end`. */
export const spliced = (source: string, start: number, end: number, text: string): string =>
  source.slice(0, start) + text + source.slice(end);
