// Lays out a case, builds it, builds it again, verifies it, and looks at all that is there: a case → what was seen.

import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { storedDecisions } from "../../../src/tuner/store/store-contents.ts";
import type { BuildCase } from "./dimensions.ts";
import { layProject, markerOf } from "./lay-project.ts";
import type { Printed } from "./operators.ts";
import { lockName, runBuild, runVerify, type Started } from "./project.ts";
import { type Ended, processesOf, runProgram } from "./run-program.ts";
import { startRemote, storePath } from "./start-remote.ts";
import type { WarmProjects } from "./warm.ts";

/** What is at a path, as text to compare: "absent", "a folder", "a link to …" or a file's content. */
export type PathState = string;

export interface Report {
  readonly errors: readonly string[];
  readonly stack?: string;
  readonly uncaught: readonly string[];
  readonly connections: readonly string[];
}

export interface Built {
  readonly ended: Ended;
  /** Null: the process died before it could tell. */
  readonly report: Report | null;
  /** Digests of the files of the output, by name. */
  readonly output: Readonly<Record<string, string>>;
  /** What the program printed, if the build succeeded; text: why it did not print that. */
  readonly printed: Printed | string | null;
}

export interface Seen {
  readonly drawn: BuildCase;
  /** Name of the kernel in the lock. */
  readonly kernel: string;
  /** The build, or two at once. */
  readonly first: readonly Built[];
  /** The same build again; null: the first one failed. */
  readonly again: Built | null;
  readonly verify: Ended;
  readonly lockBefore: PathState;
  readonly lockAfter: PathState;
  /** Measured decisions in the store before and after the first build. */
  readonly decisionsBefore: readonly string[];
  readonly decisionsAfter: readonly string[];
  /** "GET /store/ac/…" */
  readonly asked: readonly string[];
  /** Command lines of processes that are still there. */
  readonly processes: readonly string[];
  /** Files that should be gone. */
  readonly leftovers: readonly string[];
  readonly plantedRan: boolean;
  /** Content of each file of the project and its output, by name, but for those that were there before. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** @param seed of what is random inside of a case: bits that are flipped */
/** Targets that nothing is measured for here: what a case finds in locks and stores is of the kernel for WebAssembly. */
const onGpus: readonly string[] = ["webgpu", "cuda-sm80"];

export async function runCase(drawn: BuildCase, warm: WarmProjects, seed: number): Promise<Seen> {
  const root = mkdtempSync(join(tmpdir(), "drawn-build-"));
  const known = await warm.of(onGpus.includes(drawn.target) ? { ...drawn, target: "wasm" } : drawn);
  const server = await startRemote(drawn.remote, known.decision);
  const remoteUrl = drawn.remote === "none" ? null : `${server.url}${storePath}`;
  const started: Started = { root, drawn, remoteUrl };
  try {
    await layProject(started, known, seed);
    // Nobody listens there any more.
    if (drawn.remote === "is down") await server.close();
    return await observe(started, known.kernel, server.asked);
  } finally {
    if (drawn.remote !== "is down") await server.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function observe(started: Started, kernel: string, asked: readonly string[]): Promise<Seen> {
  const { root, drawn } = started;
  const lock = join(root, lockName);
  const [lockBefore, decisionsBefore] = [stateOf(lock), await decisionsIn(root)];
  const there = new Set(filesBelow(root));
  const outs = drawn.builds === "one" ? ["out"] : ["out", "out-beside"];
  const first = await Promise.all(outs.map((out) => buildIn(started, out)));
  const [lockAfter, decisionsAfter] = [stateOf(lock), await decisionsIn(root)];
  const again = first.some(hasFailed) ? null : await buildIn(started, "out-again");
  const verify = await runVerify(started);
  const processes = await processesOf(root);
  const names = filesBelow(root);
  return {
    drawn,
    kernel,
    first,
    again,
    verify,
    lockBefore,
    lockAfter,
    decisionsBefore,
    decisionsAfter,
    asked: [...asked],
    processes,
    leftovers: names.filter((name) => isLeftover(name) && !there.has(name)),
    plantedRan: existsSync(markerOf(root)),
    files: new Map(names.filter((name) => !there.has(name)).map((name) => [name, readFileSync(join(root, name))])),
  };
}

export const hasFailed = ({ report }: Built): boolean => report === null || report.errors.length > 0;

/** Temporary files, and anything beside the lock. */
const isLeftover = (name: string): boolean =>
  name.startsWith("temporary/") ||
  name.endsWith(".tmp") ||
  name.startsWith("store/tmp/") ||
  (name.startsWith("lock/") && name !== lockName);

async function buildIn(started: Started, out: string): Promise<Built> {
  const { root } = started;
  const ended = await runBuild(started, out);
  const line = /^REPORT (.*)$/m.exec(ended.stdout)?.[1];
  const report = line === undefined ? null : (JSON.parse(line) as Report);
  const folder = join(root, out);
  const output = Object.fromEntries(
    filesBelow(folder).map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex"),
    ]),
  );
  const built = { ended, report, output, printed: null };
  return hasFailed(built) ? built : { ...built, printed: await runOutput(root, folder) };
}

async function runOutput(root: string, folder: string): Promise<Printed | string> {
  const { exitCode, stdout, stderr } = await runProgram([join(folder, "main.mjs")], root, {});
  return exitCode === 0 ? (JSON.parse(stdout) as Printed) : stderr;
}

function stateOf(path: string): PathState {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return "absent";
  if (found.isDirectory()) return "a folder";
  if (found.isSymbolicLink()) return `a link to ${relative(path, readlinkSync(path))}: ${stateOf(readlinkSync(path))}`;
  return readFileSync(path, "utf8");
}

/** Decisions that this user's builds measured: predictions may be kept at any time. */
const decisionsIn = async (root: string): Promise<readonly string[]> =>
  (await storedDecisions(join(root, "store"))).map((decision) => JSON.stringify(decision)).sort();

const filesBelow = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile())
        .sort()
    : [];
