// A JSON reader that knows lines: text → value, the line of every field, or the line of the first mistake. Unlike
// JSON.parse it refuses a field that is there twice, which is what a bad merge leaves behind.

export interface LocatedJson {
  readonly value: unknown;
  /** The line, from 1, of the value at a path; of its nearest known ancestor if there is none. */
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

const token = /[ \t\r\n]*("(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\],:]|true|false|null|)/y;
const maxDepth = 32;

/** Throws a JsonTextError where the text is not JSON. */
export function parseLocatedJson(text: string): LocatedJson {
  const conflict = /^(<{7}|={7}|>{7})/m.exec(text);
  if (conflict) throw new JsonTextError(lineAt(text, conflict.index), "a merge conflict is not resolved");
  const lines = new Map<string, number>();
  const reader = new Reader(text, lines);
  const value = reader.value([]);
  reader.expect("");
  return { value, lineOf: (path) => nearestLine(lines, path) };
}

const lineAt = (text: string, position: number): number => text.slice(0, position).split("\n").length;
const keyOf = (path: readonly (string | number)[]): string => JSON.stringify(path);

function nearestLine(lines: ReadonlyMap<string, number>, path: readonly (string | number)[]): number {
  for (let length = path.length; length >= 0; length--) {
    const line = lines.get(keyOf(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return 1;
}

class Reader {
  readonly #text: string;
  readonly #lines: Map<string, number>;
  #position = 0;
  #start = 0;

  constructor(text: string, lines: Map<string, number>) {
    this.#text = text;
    this.#lines = lines;
  }

  value(path: readonly (string | number)[]): unknown {
    const first = this.#next();
    if (!this.#lines.has(keyOf(path))) this.#lines.set(keyOf(path), lineAt(this.#text, this.#start));
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

  #object(path: readonly (string | number)[]): Record<string, unknown> {
    const fields = new Map<string, unknown>();
    if (this.#peek() === "}") this.#next();
    else
      do {
        const name = this.#fieldName();
        if (fields.has(name)) this.#fail(`the field "${name}" is there twice`);
        this.#lines.set(keyOf([...path, name]), lineAt(this.#text, this.#start));
        this.expect(":");
        fields.set(name, this.value([...path, name]));
      } while (this.#another("}"));
    return Object.fromEntries(fields);
  }

  #array(path: readonly (string | number)[]): unknown[] {
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

  /** After an item: true for a comma, false for the end. */
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
    const found = token.exec(this.#text)?.[1] ?? "";
    const end = token.lastIndex;
    this.#start = end - found.length;
    this.#position = end;
    return found;
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
