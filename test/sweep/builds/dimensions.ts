// What a drawn build is made of: each dimension with its values, the plain one first. A case is one value of each.

export const dimensions = {
  operator: ["gemm", "bytes", "scan", "pool"],
  target: ["wasm", "avx2", "native", "webgpu", "cuda-sm80"],
  host: ["esbuild", "rollup", "vite", "api"],
  mode: ["tune", "frozen", "predict", "by CI"],
  onMiss: ["error", "fallback"],
  lock: [
    "absent",
    "right",
    "signed",
    "signed with another key",
    "of another kernel",
    "of a changed operator",
    "of another code generator",
    "of other caches",
    "with conflict marks",
    "cut short",
    "with an edited assignment",
    "with an edited digest",
    "with forged figures",
    "with an extra field",
    "with an extra first field",
    "with CRLF",
    "with a BOM",
    "of another schema",
    "of no bytes",
    "read-only",
    "in a read-only folder",
    "a link to it",
    "a link to nothing",
    "a folder in its place",
  ],
  store: [
    "empty",
    "warm",
    "of another key",
    "planted bundle",
    "planted addon",
    "planted wasm",
    "planted facts",
    "planted dev addon",
    "planted index line",
    "flipped bits",
    "files of zero length",
    "missing blobs",
    "missing index",
    "read-only",
    "warm and read-only",
    "a file in its place",
    "below a file",
  ],
  pack: ["none", "right", "with a wrong line", "of another code generator", "with a forged time", "not installed"],
  remote: [
    "none",
    "empty",
    "right",
    "answers 500",
    "answers 401",
    "answers rubbish",
    "cuts its answers",
    "redirects",
    "redirects to a file",
    "has another kernel's decision",
    "has a forged time",
    "has another digest",
    "has a huge body",
    "is down",
    "drips",
    "hangs",
  ],
  remoteMode: ["read-only", "read-write"],
  credentials: ["none", "token", "in the URL"],
  offline: ["no", "by option", "by environment"],
  compiler: [
    "right",
    "absent",
    "fails",
    "writes nothing",
    "writes rubbish",
    "computes something else",
    "is slow",
    "never answers",
    "never ends",
  ],
  trust: ["none", "of a key", "required"],
  signing: [
    "none",
    "in the environment",
    "of a file",
    "with another key",
    "broken in the environment",
    "of a broken file",
    "of a file for all",
    "a folder in its place",
  ],
  secret: [
    "in the environment",
    "of a file",
    "missing",
    "another",
    "unreadable",
    "of wrong size",
    "of a file for all",
    "a folder in its place",
    "cannot be made",
  ],
  builds: ["one", "two at once"],
} as const;

export type Dimension = keyof typeof dimensions;
export type BuildCase = { readonly [D in Dimension]: (typeof dimensions)[D][number] };

export const dimensionNames = Object.keys(dimensions) as readonly Dimension[];

/** The case without anything unusual. */
export const plainCase = Object.fromEntries(dimensionNames.map((name) => [name, dimensions[name][0]])) as BuildCase;

/** "lock of another kernel, store planted addon": what is not plain. */
export const inWords = (drawn: BuildCase): string =>
  dimensionNames
    .filter((name) => drawn[name] !== plainCase[name])
    .map((name) => `${name} ${drawn[name]}`)
    .join(", ") || "a plain build";
