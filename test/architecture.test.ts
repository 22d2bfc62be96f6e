// The rules of docs/architecture.md about who may import what, who may touch the world, and how large things get. A
// violation is shown with its line. Exceptions stand here by name, each with its reason.

import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { type Import, type SourceFile, sourceFile, sourceFiles } from "./support/source-files.ts";

const files = sourceFiles();
const typescript = files.filter(({ path }) => path.endsWith(".ts"));

/** `src/x.ts:12: import … (why)` for each import that `why` has something against. */
const badImports = (why: (file: SourceFile, it: Import) => string | null, among = typescript): readonly string[] =>
  among.flatMap((file) =>
    file.imports.flatMap((it) => {
      const reason = why(file, it);
      return reason === null ? [] : [`${file.path}:${it.line}: ${file.lines[it.line - 1]!.trim()} (${reason})`];
    }),
  );

const badLines = (pattern: RegExp, allowed: (path: string) => boolean, among = files): readonly string[] =>
  among
    .filter(({ path }) => !allowed(path))
    .flatMap(({ path, code, lines }) =>
      code.flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}: ${lines[at]!.trim()}`] : [])),
    );

// ── folders ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** From left to right; a folder imports from those to its right. */
const rooms = ["cli", "plugin", "tuner", "native", "compiler"] as const;

/** api/index.ts, the program interface, stands beside the plugin. */
const roomOf = (path: string): number => {
  const at = rooms.findIndex((room) => path.startsWith(`src/${room}/`));
  return at < 0 ? rooms.indexOf("plugin") : at;
};

const wrongRoom = ({ path }: SourceFile, { from }: Import): string | null => {
  if (!from.startsWith("src/") || roomOf(path) === roomOf(from)) return null;
  if (roomOf(from) < roomOf(path)) return `${rooms[roomOf(path)]} stands to the right of ${rooms[roomOf(from)]}`;
  if (from.startsWith("src/compiler/") && from !== "src/compiler/index.ts") return "only compiler/index.ts is imported";
  return null;
};

test("a folder imports from folders to its right, the compiler through its index", () => {
  expect(badImports(wrongRoom)).toEqual([]);
});

/** Inside the compiler: what stands later may import what stands earlier. */
const stages = [
  "support",
  "affine",
  "expr",
  "ops",
  "instance",
  "ir",
  "target",
  "intrinsic",
  "schedule",
  "lower",
  "launch",
  "codegen",
  "backend",
] as const;

/** Files of the compiler that stand above its stages. */
const aboveStages: Readonly<Record<string, string>> = {
  "src/compiler/index.ts": "what other rooms import",
  "src/compiler/kernel.ts": "schedule, lower and generate in one call",
};

/** The public language, and what checks the arguments of those who call. */
const ofLibrary: readonly string[] = ["src/compiler/expr/authoring.ts", "src/compiler/expr/library-arguments.ts"];

const stageOf = (path: string): number => stages.findIndex((stage) => path.startsWith(`src/compiler/${stage}/`));

const wrongStage = ({ path }: SourceFile, { from }: Import): string | null => {
  if (!path.startsWith("src/compiler/") || path in aboveStages || !from.startsWith("src/")) return null;
  if (path.startsWith("src/compiler/ops/")) {
    const isLanguage = ofLibrary.includes(from) || from.startsWith("src/compiler/ops/");
    return isLanguage ? null : "operators are written in the public language";
  }
  if (from in aboveStages) return "it stands above the stages";
  if (stageOf(from) <= stageOf(path)) return null;
  return `${stages[stageOf(path)] ?? path} comes before ${stages[stageOf(from)]}`;
};

test(`inside the compiler: ${stages.join(" → ")}`, () => {
  expect(badImports(wrongStage)).toEqual([]);
});

/** Folders with rooms in an order: what stands later may import what stands earlier. A dot: the files beside the rooms. */
const roomOrders: Readonly<Record<string, readonly string[]>> = {
  "src/compiler/schedule/": [".", "composition", "primitive", "replay"],
  "src/compiler/lower/": ["math", "pass", "."],
  "src/compiler/codegen/": [".", "js", "wasm", "c", "cuda", "wgsl"],
  "src/native/": [
    "process",
    "machine",
    "network",
    "file",
    "lock",
    "toolchain",
    "addon",
    "load",
    "harness",
    "runner",
    "cuda",
    "webgpu",
    "backend",
    "limits",
  ],
};

/** Name of the room that a file of a folder is in. */
const roomIn = (folder: string, path: string): string => {
  const rest = path.slice(folder.length);
  return rest.includes("/") ? rest.slice(0, rest.indexOf("/")) : ".";
};

const wrongOrder = ({ path }: SourceFile, { from }: Import): string | null => {
  for (const [folder, order] of Object.entries(roomOrders)) {
    if (!path.startsWith(folder)) continue;
    const [room, imported] = [roomIn(folder, path), roomIn(folder, from)];
    if (!order.includes(room)) return `${folder} has no room ${room}`;
    if (from.startsWith(folder) && order.indexOf(imported) > order.indexOf(room))
      return `${room} comes before ${imported}`;
  }
  return null;
};

test("rooms of the compiler's stages and of the machine stand in an order", () => {
  expect(badImports(wrongOrder)).toEqual([]);
});

/** Rooms of the tuner, each with what it holds. A room imports from those above it. */
const tunerRooms: Readonly<Record<string, string>> = {
  support: "tools that know nothing of tuning: random numbers, time limits, strict decoders",
  constraint: "the language of constraints: variables, terms, domains",
  "constraint/propagator": "what one constraint tells of its variables' values, a file a kind",
  "constraint/solver": "models compiled, sampled, enumerated, completed, explained and given to Z3",
  prior: "facts of a candidate, and the machine model that makes a time of them",
  data: "what the stages hand on: task, space, candidate, measurement, record, with keys and decoders",
  kernel: "a candidate's code, and checks that may refuse it",
  "space/draft": "a template while rules make it, the stages that it schedules, and the contract of a rule",
  "space/estimate": "what a stage without a tiling does to the machine, and what groups of threads do",
  "space/choice": "element-wise stages that choose among alternatives",
  "space/tiling": "axes, order, packing, limits and estimate of a tiled stage",
  "space/matrix-tiles": "matrix products in tile registers",
  "space/fusion": "which stages are computed together with their readers, and where",
  "space/rule": "the rules, a file each",
  "space/parts": "sums whose depth groups of threads share",
  "space/tensor-cores": "the rules of GPUs: products by warps, and a thread for each element",
  "space/thread-tiles": "the rules of all GPUs: sums in tiles of threads, rows, and maps",
  "space/algorithm/winograd": "Winograd's convolution",
  "space/algorithm/gathered": "products whose operands are gathered into matrices of whole tiles",
  "space/algorithm/merged-axes": "axes that everything walks together, as one",
  "space/algorithm/narrow-integers": "arithmetic of bytes in 16 bits",
  "space/algorithm": "other ways to compute an operator",
  "space/template": "templates that a user writes",
  space: "a task's space, generated and explained",
  backend: "what a back end brings to each room, as one value",
  "cost-model": "models that learn from measurements, and their features",
  check: "how near a result has to come to the reference",
  measure: "samples, statistics, heats and races",
  "search/point": "a space as a search sees it: points, drawn, found and projected",
  "search/state": "what a search knows so far, and when it has converged",
  "search/move": "steps from points to points, and choices among them",
  "search/surrogate": "the models of Bayesian optimisation",
  "search/strategy": "the strategies, a file each",
  search: "strategies of a user's own, predictions, single mutations",
  proof: "bounds on what no candidate can beat",
  workbench: "candidates built, checked against the reference and timed",
  record: "measurements kept for good",
  experience: "what records of other tasks teach",
  store: "decisions and built kernels, by their keys",
  lock: "kernels.lock.json",
  trust: "signatures of decisions",
  remote: "candidates measured on another machine, as files",
  report: "plots, tables and texts for people",
  tuning: "one tuning from start to end",
  fleet: "candidates measured by workers",
  carried: "a folder of candidates for another machine, and the program that measures them there",
  scheduler: "several tunings in turns",
};

const tunerOrder = Object.keys(tunerRooms);
const tunerRoomOf = (path: string): string => dirname(path.slice("src/tuner/".length));

const wrongTunerRoom = ({ path }: SourceFile, { from }: Import): string | null => {
  if (!path.startsWith("src/tuner/") || !from.startsWith("src/tuner/")) return null;
  const [here, there] = [tunerRoomOf(path), tunerRoomOf(from)];
  return tunerOrder.indexOf(there) <= tunerOrder.indexOf(here) ? null : `${here} comes before ${there}`;
};

test("inside the tuner a room imports from those above it", () => {
  expect(badImports(wrongTunerRoom)).toEqual([]);
});

const homeless = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => path.startsWith("src/tuner/") && !(tunerRoomOf(path) in tunerRooms));

test("each file of the tuner stands in one of its rooms, and no room is empty", () => {
  const paths = typescript.map(({ path }) => path);
  expect(homeless(paths)).toEqual([]);
  expect(tunerOrder.filter((room) => !paths.some((path) => dirname(path) === `src/tuner/${room}`))).toEqual([]);
});

// ── the world ───────────────────────────────────────────────────────────────────────────────────────────────────────

const isOneOf =
  (...prefixes: readonly string[]) =>
  (path: string): boolean =>
    prefixes.some((prefix) => path.startsWith(prefix));

/** Packages that touch the world → who may import them. */
const worldly: Readonly<Record<string, readonly string[]>> = {
  "node:fs": [
    "src/cli/",
    "src/plugin/",
    "src/api/index.ts",
    "src/native/",
    "src/tuner/record/",
    "src/tuner/store/",
    "src/tuner/lock/",
    "src/tuner/carried/",
  ],
  "node:fs/promises": [
    "src/cli/",
    "src/plugin/",
    "src/api/index.ts",
    "src/api/build.ts",
    "src/native/",
    "src/tuner/record/",
    "src/tuner/store/",
    "src/tuner/lock/",
  ],
  cacache: ["src/tuner/store/"],
  "node:child_process": ["src/native/"],
  "node:cluster": [],
  "node:worker_threads": ["src/native/"],
  execa: ["src/native/"],
  "node:timers": ["src/native/"],
  "node:timers/promises": ["src/native/"],
  "node:perf_hooks": ["src/native/"],
  "node:net": ["src/native/"],
  "node:http": ["src/cli/browser/page-server.ts", "src/native/network/"],
  "node:https": ["src/cli/browser/page-server.ts"],
  "node:vm": ["src/plugin/operator/load-op.ts"],
  // The queue of a fleet is on another machine.
  bullmq: ["src/plugin/fleet/"],
  ioredis: ["src/plugin/fleet/"],
};

test("files, processes, timers and sockets", () => {
  const reason = ({ path }: SourceFile, { from }: Import): string | null =>
    from in worldly && !isOneOf(...worldly[from]!)(path) ? `${from} is not for this folder` : null;
  expect(badImports(reason)).toEqual([]);
});

test("Math.random nowhere", () => {
  expect(badLines(/\bMath\s*\.\s*random\b/, () => false)).toEqual([]);
});

test("process.env in the plugin's options, where toolchains and Windows are looked for, and for the store's secret", () => {
  // The secret is no option: it stands in no file of the project, and nobody passes it on.
  const readers = isOneOf(
    "src/plugin/options/options.ts",
    "src/native/toolchain/",
    "src/native/cuda/",
    // The program's own environment: which adapters its kernels take.
    "src/plugin/runtime/webgpu/",
    "src/plugin/runtime/cuda/",
    "src/native/webgpu/dawn.ts",
    "src/native/process/process-tree.ts",
    "src/tuner/store/store-key.ts",
  );
  expect(badLines(/\bprocess\s*\.\s*env\b/, readers)).toEqual([]);
});

test("the network by fetch only in native/network/http.ts, emitted modules and the pages of commands", () => {
  const pages = ["src/cli/bench/browser/page/", "src/plugin/visitors/page/"];
  const allowed = isOneOf("src/native/network/http.ts", "src/plugin/runtime/wasm.ts", ...pages);
  expect(badLines(/\bfetch\s*\(/, allowed)).toEqual([]);
});

/** Part of emitted modules: it runs in the user's process, not in the build. */
const emitted = ["src/plugin/runtime/loops.ts", "src/plugin/runtime/foreign.ts", "src/plugin/runtime/measure-here.ts"];

test("the clock only in native", () => {
  const clock = /\b(Date\s*\.\s*now|new Date\b|performance\s*\.\s*now|hrtime|setTimeout|setInterval)\b/;
  expect(badLines(clock, isOneOf("src/native/", ...emitted))).toEqual([]);
});

// ── packages ────────────────────────────────────────────────────────────────────────────────────────────────────────

test("bundlers: types only, and unplugin; operator files are bundled by esbuild, and modules for Jest; imports are found with it", () => {
  const hosts = /^(vite|rollup|rolldown|webpack|@rspack\/.*|@rsbuild\/.*|@farmfe\/.*|esbuild|unplugin)$/;
  const reason = ({ path }: SourceFile, { from, kind }: Import): string | null => {
    if (!hosts.test(from) || kind === "type") return null;
    const loaders = [
      "src/plugin/operator/bundle-with-esbuild.ts",
      "src/plugin/declarations/imports-of-script.ts",
      "src/plugin/declarations/resolve-import.ts",
      "src/plugin/jest/write-modules.ts",
    ];
    const isLoader = loaders.includes(path) && from === "esbuild";
    if (!path.startsWith("src/plugin/") && !isLoader) return "no bundler outside the plugin";
    return from === "unplugin" || isLoader ? null : "types only";
  };
  expect(badImports(reason)).toEqual([]);
});

test("heavy packages are loaded when they are needed", () => {
  const heavy = [
    "@sigstore/bundle",
    "@sigstore/protobuf-specs",
    "@sigstore/verify",
    "aws4fetch",
    "binaryen",
    "bullmq",
    "cacache",
    "esbuild",
    "ioredis",
    "koffi",
    "listr2",
    "sigstore",
    "src/cli/terminal/live-tasks.ts",
    "src/plugin/remote/s3.ts",
    "z3-solver",
  ];
  const reason = ({ path }: SourceFile, { from, kind }: Import): string | null =>
    heavy.includes(from) && kind === "static" && !heavy.includes(path) ? "import it lazily" : null;
  expect(badImports(reason)).toEqual([]);
});

/** Files that are loaded with a file: itself and all that it imports, but for types and lazy imports. */
function loadedWith(path: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(path) || !path.startsWith("src/")) return loaded;
  loaded.add(path);
  const { imports } = files.find((file) => file.path === path)!;
  for (const { from, kind } of imports) if (kind === "static") loadedWith(from, loaded);
  return loaded;
}

test("the command line loads what a command does once it is asked for", () => {
  const loaded = [...loadedWith("src/cli/bin.ts")];
  expect(loaded).toContain("src/cli/commands/tune.ts");
  const names = ["src/plugin/options/report-name.ts", "src/tuner/search/strategy/strategy.ts"];
  expect(loaded.filter((path) => !isOneOf("src/cli/", "src/compiler/", ...names)(path))).toEqual([]);
  expect(loaded.filter(isOneOf("src/cli/actions/", "src/cli/project/project.ts"))).toEqual([]);
});

test("a build that finds its kernels loads no part of the tuner but store, lock, keys and decoders", () => {
  const tuner = [...loadedWith("src/plugin/kernel/compile/compile-kernel.ts")].filter((path) =>
    path.startsWith("src/tuner/"),
  );
  const allowed = isOneOf("src/tuner/store/", "src/tuner/lock/", "src/tuner/data/", "src/tuner/support/");
  expect(tuner.length).toBeGreaterThan(0);
  expect(tuner.filter((path) => !allowed(path))).toEqual([]);
});

/** Rooms that compile a kernel; `src/plugin/kernel` itself has types and what an import asks for. */
const kernelRooms = [
  "artifacts",
  "check",
  "compile",
  "context",
  "decision",
  "lock",
  "outside",
  "signed",
  "source",
  "stored",
  "tuning",
].map((room) => `src/plugin/kernel/${room}/`);

test("a bundler that loads the plugin loads no part of the tuner, and no kernel is compiled without need", () => {
  const loaded = [...loadedWith("src/plugin/hooks/hooks.ts")];
  expect(loaded).toContain("src/plugin/build/build-tunings.ts");
  const needless = isOneOf("src/tuner/", ...kernelRooms, "src/plugin/declarations/", "src/native/runner/");
  expect(loaded.filter(needless)).toEqual([]);
});

// ── back ends ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Folders of back ends, and the files that hold a kind's own part of a table: these know which one they are. */
const ofBackend = isOneOf(
  "src/compiler/codegen/",
  "src/compiler/target/",
  "src/native/backend/",
  "src/native/addon/build.ts",
  "src/tuner/data/target-json.ts",
  "src/plugin/binding/twin/",
  // The addon, and the module, of a schedule.
  "src/plugin/kernel/artifacts/native-kernel.ts",
  "src/plugin/kernel/artifacts/wasm-pair.ts",
);

const asksWhich = new RegExp(
  [
    '\\b(?:backend|codegen) (?:===|!==) "',
    '\\bkind (?:===|!==) "(?:c|wasm|js|native|cpu|gpu|accelerator)"',
    "\\bis(?:C|Wasm)Source\\(",
  ].join("|"),
);

test("nothing outside of a back end asks which one it is: properties and methods are asked", () => {
  expect(badLines(asksWhich, (path) => !path.startsWith("src/") || ofBackend(path), typescript)).toEqual([]);
});

// ── sizes and names ─────────────────────────────────────────────────────────────────────────────────────────────────

test("files have at most 400 lines", () => {
  const large = files.filter(({ lines }) => lines.length > 400);
  expect(large.map(({ path, lines }) => `${path}: ${lines.length} lines`)).toEqual([]);
});

const mostFunctionLines = 80;

/** The formatter puts the end of a function at the indentation of its beginning. */
function longFunctions({ path, code, lines }: SourceFile): readonly string[] {
  return code.flatMap((line, at) => {
    const indent = /^\s*/.exec(line)![0];
    const isFunction = /(=>|\)(: [^=]+)?) \{$/.test(line) && !/^\s*(\} )?(if|for|while|switch|catch|else)\b/.test(line);
    if (!isFunction) return [];
    const length = code.slice(at).findIndex((later) => later.startsWith(`${indent}}`)) + 1;
    return length > mostFunctionLines ? [`${path}:${at + 1}: ${lines[at]!.trim()} (${length} lines)`] : [];
  });
}

test(`functions have at most ${mostFunctionLines} lines`, () => {
  expect(typescript.flatMap((file) => longFunctions(file))).toEqual([]);
});

test("files are kebab-case and named after what they hold", () => {
  const base = (path: string): string =>
    path
      .split("/")
      .at(-1)!
      .replace(/\.\w+$/, "");
  const bad = /^(utils?|helpers?|common|misc|new|old|v\d+)$/;
  const paths = files
    .map(({ path }) => path)
    .filter((path) => bad.test(base(path)) || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(base(path)));
  expect(paths).toEqual([]);
});

test("files open with one to six lines that say what they are, then perhaps a picture", () => {
  const opening = ({ lines }: SourceFile): number => lines.findIndex((line) => !/^\/\/ \S/.test(line));
  const silent = typescript.filter((file) => opening(file) < 1 || opening(file) > 6);
  expect(silent.map((file) => `${file.path}: ${opening(file)} lines`)).toEqual([]);
});

// ── the test itself ─────────────────────────────────────────────────────────────────────────────────────────────────

describe("the rules find what they forbid", () => {
  const planted = (path: string, text: string): SourceFile[] => [sourceFile(path, text)];

  test("an import to the left, and one past the index", () => {
    const text = '// x\nimport { a } from "../tuner/tune.ts";\nimport type { b } from "../compiler/ir/loop-ir.ts";\n';
    expect(badImports(wrongRoom, planted("src/native/x.ts", text))).toEqual([
      'src/native/x.ts:2: import { a } from "../tuner/tune.ts"; (native stands to the right of tuner)',
      'src/native/x.ts:3: import type { b } from "../compiler/ir/loop-ir.ts"; (only compiler/index.ts is imported)',
    ]);
  });

  test("an import of a later room of the tuner, and a file without a room", () => {
    const text = '// x\nimport type { a } from "../tuning/tuning.ts";\nimport { b } from "../data/task.ts";\n';
    expect(badImports(wrongTunerRoom, planted("src/tuner/measure/x.ts", text))).toEqual([
      'src/tuner/measure/x.ts:2: import type { a } from "../tuning/tuning.ts"; (measure comes before tuning)',
    ]);
    expect(homeless(["src/tuner/x.ts", "src/tuner/space/x.ts", "src/tuner/space/y/x.ts", "src/api/index.ts"])).toEqual([
      "src/tuner/x.ts",
      "src/tuner/space/y/x.ts",
    ]);
  });

  test("an import of several lines, a later stage, a lazy import", () => {
    const text =
      '// x\nimport {\n  a,\n} from "../lower/pipeline.ts";\nconst b = await import("../codegen/parameters.ts");\n';
    expect(badImports(wrongStage, planted("src/compiler/ir/x.ts", text))).toEqual([
      "src/compiler/ir/x.ts:2: import { (ir comes before lower)",
      'src/compiler/ir/x.ts:5: const b = await import("../codegen/parameters.ts"); (ir comes before codegen)',
    ]);
  });

  test("a room that imports a later one, and a file in no room", () => {
    const text = '// x\nimport { a } from "../lock/file-lock.ts";\n';
    expect(badImports(wrongOrder, planted("src/native/file/x.ts", text))).toEqual([
      'src/native/file/x.ts:2: import { a } from "../lock/file-lock.ts"; (file comes before lock)',
    ]);
    expect(badImports(wrongOrder, planted("src/native/x.ts", text))).toHaveLength(1);
  });

  test("identifiers, but not in comments", () => {
    const text = "// Math.random\nconst a = Math.random(); // b\n/** Math.random */\n";
    expect(badLines(/\bMath\.random\b/, () => false, planted("src/x.ts", text))).toEqual([
      "src/x.ts:2: const a = Math.random(); // b",
    ]);
  });

  test("a long function", () => {
    const body = "  run();\n".repeat(mostFunctionLines);
    expect(longFunctions(sourceFile("src/x.ts", `export function a(): void {\n${body}}\n`))).toEqual([
      "src/x.ts:1: export function a(): void { (82 lines)",
    ]);
  });
});

/** Files of the plugin that a build does not load if the store has all of its kernels and no report is wanted. */
const forMisses = [
  "src/plugin/operator/bundle-with-esbuild.ts",
  "src/plugin/kernel/check/check-built.ts",
  "src/plugin/kernel/outside/check-decision.ts",
  "src/plugin/kernel/check/check-cuda.ts",
  "src/plugin/kernel/check/check-twins.ts",
  "src/plugin/kernel/check/checker.ts",
  "src/plugin/kernel/outside/foreign-decision.ts",
  "src/plugin/kernel/source/make-prediction.ts",
  "src/plugin/kernel/compile/reference-loops.ts",
  "src/plugin/kernel/check/on-workbench.ts",
  "src/plugin/kernel/outside/remote-decision.ts",
  "src/plugin/kernel/signed/remote-entries.ts",
  "src/plugin/kernel/source/schedule-source.ts",
  "src/plugin/kernel/tuning/shared-machine.ts",
  "src/plugin/kernel/tuning/tune-kernel.ts",
  "src/plugin/kernel/compile/verify-kernel.ts",
  "src/plugin/kernel/outside/pack-decision.ts",
  "src/plugin/packs/read-pack.ts",
  "src/plugin/remote/remote-signature.ts",
  "src/plugin/remote/remote-store.ts",
  "src/plugin/report/write-report.ts",
  "src/plugin/kernel/check/check-addon.ts",
  "src/plugin/kernel/lock/lock-trust.ts",
  "src/plugin/trust/outside-decision.ts",
  "src/plugin/trust/policy-of.ts",
  "src/plugin/kernel/signed/signed-artifact.ts",
  "src/plugin/kernel/outside/signed-decision.ts",
  "src/plugin/trust/signed-file.ts",
  "src/plugin/trust/signing-key.ts",
];

test("what a build does not need that finds its kernels is loaded when it is needed", () => {
  const reason = ({ path }: SourceFile, { from, kind }: Import): string | null =>
    forMisses.includes(from) && kind === "static" && !isOneOf("src/cli/", "src/plugin/report/", ...forMisses)(path)
      ? "import it lazily"
      : null;
  expect(badImports(reason)).toEqual([]);
});
