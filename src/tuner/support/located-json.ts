// A JSON reader that knows lines: text → value, the line of every field, or the line of the first mistake. Unlike
// JSON.parse it refuses a field that is there twice, which is what a bad merge leaves behind.

import { shownName } from "./strict.ts";

export interface LocatedJson {
  readonly value: unknown;
  /** Returns the line, from 1, of the value at a path; of its nearest known ancestor if there is none. */
  lineOf(path: readonly (string | number)[]): number;
}

export class JsonTextError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.name = "JsonTextError";
    this.line = line;
  }
}

/** A text is read by hand: V8 keeps a place to return to for each letter of a repetition, and has no room for those of a long text. */
const token = /[ \t\r\n]*("|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\],:]|true|false|null|)/y;
const maxDepth = 32;

/** Parses a text. Throws a JsonTextError where it is not JSON. A byte order mark, which editors of Windows leave, is skipped. */
export function parseLocatedJson(given: string): LocatedJson {
  const text = given.startsWith("\ufeff") ? given.slice(1) : given;
  const conflict = /^(<{7}|={7}|>{7})/m.exec(text);
  if (conflict) throw new JsonTextError(lineAt(text, conflict.index), "a merge conflict is not resolved");
  const reader = new Reader(text, ignore);
  const value = reader.value([]);
  reader.expect("");
  return { value, lineOf: (path) => lineAt(text, nearestPosition(positionsIn(text), path)) };
}

/** Receives where the value at a path starts; for a field, where its name does. */
type Note = (path: Path, position: number) => void;
type Path = readonly (string | number)[];

const ignore: Note = () => {};

/** Maps paths to positions. The text is read again for it, since only messages about mistakes need positions. */
function positionsIn(text: string): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  const note: Note = (path, position) => {
    if (!positions.has(keyOf(path))) positions.set(keyOf(path), position);
  };
  new Reader(text, note).value([]);
  return positions;
}

const lineAt = (text: string, position: number): number => text.slice(0, position).split("\n").length;
const keyOf = (path: Path): string => JSON.stringify(path);

function nearestPosition(positions: ReadonlyMap<string, number>, path: Path): number {
  for (let length = path.length; length >= 0; length--) {
    const position = positions.get(keyOf(path.slice(0, length)));
    if (position !== undefined) return position;
  }
  return 0;
}

/** Returns where the text that starts at a quote ends, behind its last quote; the start where it does not end in its line. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const letter = text[at];
    if (letter === '"') return at + 1;
    if (letter === "\n") break;
    if (letter === "\\") at += 1;
  }
  return start;
}

class Reader {
  readonly #text: string;
  readonly #note: Note;
  #position = 0;
  #start = 0;

  constructor(text: string, note: Note) {
    this.#text = text;
    this.#note = note;
  }

  value(path: Path): unknown {
    const first = this.#next();
    this.#note(path, this.#start);
    if (path.length > maxDepth) this.#fail("nested too deeply");
    if (first === "{") return this.#object(path);
    if (first === "[") return this.#array(path);
    if (first === "" || "}],:".includes(first)) this.#fail("a value is missing");
    return this.#parse(first);
  }

  expect(wanted: string): void {
    const found = this.#next();
    const isEnd = found === "" && this.#start === this.#text.length;
    if (found !== wanted || (wanted === "" && !isEnd))
      this.#fail(wanted ? `a "${wanted}" is missing` : "text after the end");
  }

  #object(path: Path): Record<string, unknown> {
    const fields = new Map<string, unknown>();
    if (this.#peek() === "}") this.#next();
    else
      do {
        const name = this.#fieldName();
        if (fields.has(name)) this.#fail(`the field "${shownName(name)}" is there twice`);
        const inner = [...path, name];
        this.#note(inner, this.#start);
        this.expect(":");
        fields.set(name, this.value(inner));
      } while (this.#another("}"));
    return Object.fromEntries(fields);
  }

  #array(path: Path): unknown[] {
    const items: unknown[] = [];
    if (this.#peek() === "]") this.#next();
    else
      do items.push(this.value([...path, items.length]));
      while (this.#another("]"));
    return items;
  }

  #fieldName(): string {
    const name = this.#next();
    if (!name.startsWith('"')) this.#fail("a field name is missing");
    return String(this.#parse(name));
  }

  /** Reads what follows an item: true for a comma, false for the end. */
  #another(end: string): boolean {
    const separator = this.#next();
    if (separator !== "," && separator !== end) this.#fail(`a "," or "${end}" is missing`);
    return separator === ",";
  }

  #parse(literal: string): unknown {
    try {
      return JSON.parse(literal);
    } catch {
      return this.#fail(`${literal.slice(0, 40)} is not JSON`);
    }
  }

  #next(): string {
    token.lastIndex = this.#position;
    const first = token.exec(this.#text)?.[1] ?? "";
    this.#start = token.lastIndex - first.length;
    this.#position = first === '"' ? endOfText(this.#text, this.#start) : token.lastIndex;
    return this.#text.slice(this.#start, this.#position);
  }

  #peek(): string {
    const position = this.#position;
    const found = this.#next();
    this.#position = position;
    return found;
  }

  #fail(message: string): never {
    throw new JsonTextError(lineAt(this.#text, this.#start), message);
  }
}
