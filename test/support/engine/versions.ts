// MDN's browser-compat-data → the versions from which browsers have what kernels are made of.

/** Columns of the table: the data's name of a browser → its own. */
export const browsers = {
  chrome: "Chrome",
  edge: "Edge",
  firefox: "Firefox",
  safari: "Safari",
  safari_ios: "Safari on iOS",
} as const;

type Browser = keyof typeof browsers;

/** Rows of the table, and where the data has them. */
export const parts = {
  "WASM SIMD: every WASM kernel": ["webassembly", "fixed-width-SIMD"],
  "Relaxed SIMD: the twin that is faster": ["webassembly", "relaxed-SIMD"],
  "WASM threads: `&threads=`": ["webassembly", "threads-and-atomics"],
  "`SharedArrayBuffer`: `&threads=`": ["javascript", "builtins", "SharedArrayBuffer"],
  "`Float16Array`": ["javascript", "builtins", "Float16Array"],
} as const;

export type Part = keyof typeof parts;

/** A version, or null: no version that was released has it. */
export type Versions = Readonly<Record<Part, Readonly<Record<Browser, string | null>>>>;

interface Statement {
  readonly version_added: string | boolean;
  readonly version_removed?: string;
  readonly flags?: readonly unknown[];
  readonly partial_implementation?: boolean;
}

/** The data is a tree; what a node is about stands under `__compat`. */
export interface CompatData {
  readonly [name: string]: unknown;
}

function statementsOf(data: CompatData, path: readonly string[], browser: Browser): readonly Statement[] {
  const node = path.reduce<unknown>((node, name) => (node as CompatData | undefined)?.[name], data);
  const compat = (node as { readonly __compat?: { readonly support: Record<string, Statement | Statement[]> } })
    ?.__compat;
  if (!compat) throw new Error(`the data has no ${path.join(".")}`);
  return [compat.support[browser] ?? []].flat();
}

/** The version since which a browser has it with all that belongs to it and without being asked to. */
function versionOf(statements: readonly Statement[]): string | null {
  const whole = statements.find(
    ({ version_removed, flags, partial_implementation }) => !version_removed && !flags && !partial_implementation,
  );
  const version = whole?.version_added;
  return typeof version === "string" && /^[\d.]+$/.test(version) ? version : null;
}

const mapValues = <K extends string, A, B>(record: Readonly<Record<K, A>>, of: (value: A, key: K) => B): Record<K, B> =>
  Object.fromEntries(Object.entries<A>(record).map(([key, value]) => [key, of(value, key as K)])) as Record<K, B>;

export const versionsIn = (data: CompatData): Versions =>
  mapValues(parts, (path: readonly string[]) =>
    mapValues(browsers, (_, browser) => versionOf(statementsOf(data, path, browser))),
  );
