// Visits of the live pages → the lines of the front page's first table: what each way of computing loads, and how long it takes.

/** A visit of a live page by `npm run bench:live`; the text of each row of its table. */
export interface LiveVisit {
  readonly page: string;
  readonly browser: string;
  readonly rows: readonly string[];
  /** Versions of the libraries, as they say themselves; missing in rows that are older than tfjs on the page. */
  readonly versions?: Readonly<Record<string, string>>;
}

/** The pages of the table's columns, in their order. The bytes are those of the first. */
export const livePages = ["search", "layer", "image"] as const;
export type LivePages<Visit extends LiveVisit = LiveVisit> = Readonly<
  Record<(typeof livePages)[number], readonly [Visit, ...Visit[]]>
>;

/** "1.14 ms" → "1.1 ms", "19.3 kB" → "19 kB". */
const rounded = (figure: string): string =>
  figure.replace(/^[\d.]+/, (value) => String(Number(Number(value).toPrecision(2))));

const microseconds = { s: 1e6, ms: 1e3, µs: 1, ns: 1e-3 };

/** "327 µs" → "0.33 ms": one unit for the whole table. */
function inMilliseconds(time: string): string {
  const [value = "", unit = ""] = time.split(" ");
  return rounded(`${(Number(value) * microseconds[unit as keyof typeof microseconds]) / 1e3} ms`);
}

/** ["1.2 ms", "1.1 ms"] → "1.1 to 1.2 ms". */
function spreadOf(figures: readonly string[]): string {
  const sorted = [...new Set(figures)].sort((a, b) => Number.parseFloat(a) - Number.parseFloat(b));
  const [least = "", most = ""] = [sorted[0], sorted.at(-1)];
  return least === most ? least : `${least.replace(/ \D+$/, "")} to ${most}`;
}

interface Cells {
  readonly bytes: string;
  readonly time: string;
}

/** Null: the page does not offer this way of computing. @throws where its row has no time */
function cellsIn({ rows, page }: LiveVisit, name: string): Cells | null {
  const row = rows.find((text) => text.startsWith(name));
  if (row === undefined) return null;
  const [, bytes = "", time = ""] = /^(–|[\d.]+ [kM]B)([\d.]+ [mµn]?s)/.exec(row.slice(name.length)) ?? [];
  if (time === "") throw new Error(`a row of the live page ${page} has no time of ${name}`);
  return { bytes: bytes === "–" ? "0 kB" : rounded(bytes), time: inMilliseconds(time) };
}

/** @throws where a page lacks what all have, or a visit is of other libraries than the first page's newest */
export function liveLines(pages: LivePages): readonly string[] {
  const { versions = {} } = pages.search.at(-1)!;
  const timesOf = (name: string): readonly string[] =>
    livePages.map((page) => {
      const times = pages[page].flatMap((visit) => cellsIn(visit, name)?.time ?? []);
      return times.length === 0 ? "–" : spreadOf(times);
    });
  const line = (name: string, title: string, note = ""): string => {
    const cells = cellsIn(pages.search.at(-1)!, name);
    if (cells === null) throw new Error(`the newest row of the live page search has no times of ${name}`);
    return `| ${[title, cells.bytes + note, ...timesOf(name)].join(" | ")} |`;
  };
  const library = (name: string, backend = ""): string =>
    line(name, `${name} ${versions[name]?.replace(/\.\d+$/, "")}${backend}`);
  return [
    line("plain JavaScript", "plain JavaScript, written with care"),
    library("onnxruntime-web"),
    library("tfjs", ", WASM backend"),
    line("unplugin-kernel", "unplugin-kernel", " ([by import](docs/bytes.md))"),
  ];
}
