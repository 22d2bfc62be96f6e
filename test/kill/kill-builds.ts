// Builds that share a store and a lock, on two versions of Node, killed (SIGKILL) at random moments. In a quarter of the rounds one lives.
// Nothing that was in the lock may be lost, no kernel wrong, no process left, and no two measurements may overlap.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { traceName } from "../../src/native/lock/measure-lock.ts";
import { readLockfile } from "../../src/tuner/lock/lockfile.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { overlaps, readTrace } from "../support/measuring-trace.ts";
import { allPrograms, builders, writePrograms } from "./build-app.ts";

export interface KillBuildsOptions {
  /** Builds to kill. */
  readonly count: number;
  readonly seed: number;
  /** First round: a long run is made in parts. */
  readonly from: number;
  /** Executable of another version of Node; null: all builds run on this one. */
  readonly other: string | null;
}

export interface Round {
  readonly round: number;
  readonly killed: number;
  /** Entries that were seen in the lock and are not there in the end, or that the build that lived does not find. */
  readonly lost: readonly string[];
  /** Rows of kernels that compute something else than plain loops; words of builds that failed. */
  readonly wrong: readonly string[];
  /** Processes of killed builds that are still there after some seconds. */
  readonly left: readonly string[];
  readonly measurements: number;
  readonly overlaps: readonly string[];
}

/** Share of the rounds in which one build lives. */
const survivedShare = 0.25;

/** Milliseconds after its start in which a build is killed. */
const longestMs = 5000;

/** Every so many rounds the builds find all in the store, and only write the lock; in the others they measure. */
const roundsOfStore = 3;

const script = join(process.cwd(), "test/kill/build.js");

const markOf = (round: number): string => `KILLED_BUILDS=${process.pid}.${round}`;

export async function killBuilds(options: KillBuildsOptions, onRound: (round: Round) => void): Promise<void> {
  const root = writePrograms();
  try {
    let left = options.count;
    for (let round = options.from; left > 0; round++) {
      if (round === options.from || round % roundsOfStore !== roundsOfStore - 1) startStore(root);
      const rng = createRng(options.seed * 100_003 + round);
      const count = Math.min(rng.unit() < survivedShare ? builders - 1 : builders, left);
      const moments = Array.from({ length: count }, () => rng.unit() * longestMs);
      const played = await playRound(root, round, moments, options.other);
      left -= played.killed;
      onRound(played);
    }
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

function startStore(root: string): void {
  rmSync(join(root, "store"), { recursive: true, force: true });
  mkdirSync(join(root, "store"));
}

async function playRound(
  root: string,
  round: number,
  moments: readonly number[],
  other: string | null,
): Promise<Round> {
  const lockfile = join(root, "kernels.lock.json");
  const trace = join(root, "store", traceName);
  rmSync(lockfile, { force: true });
  writeFileSync(trace, "");
  const start = (builder: number): ChildProcess => {
    const node = other !== null && builder % 2 === 1 ? other : process.execPath;
    const [name, value] = markOf(round).split("=") as [string, string];
    const env = { ...process.env, [name]: value, CI: "" };
    return spawn(node, [script, root, `out${builder}`], { stdio: ["ignore", "ignore", "pipe"], env });
  };
  // Which one lives changes from round to round.
  const victims = moments.map((_, at) => (round + at) % builders);
  const running = Array.from({ length: builders }, (_, builder) => watched(start(builder)));
  const seen = new Set<string>();
  const watching = watchLock(lockfile, seen);
  const ended = running.map(({ end }) => end);
  await Promise.all([
    ...ended,
    ...victims.map(async (victim, at) => {
      await sleep(moments[at]!);
      running[victim]!.child.kill("SIGKILL");
    }),
  ]);
  await watching.stop();
  const wrong: string[] = [];
  for (const [builder, { child, said }] of running.entries()) {
    if (child.signalCode === "SIGKILL") continue;
    if (child.exitCode !== 0) wrong.push(`build ${builder}: ${said()}`);
    else wrong.push(...wrongIn(root, `out${builder}`));
  }
  const content = await readLockfile(lockfile);
  const there = content.kind === "ok" ? content.entries : new Map();
  const lost = [...seen].filter((name) => !there.has(name));
  if (content.kind !== "ok") lost.push(content.diagnostic.message);
  // The kernels of all programs, from what the builds left: those that no build came to are tuned.
  const last = watched(spawn(process.execPath, [script, root, allPrograms], { stdio: ["ignore", "ignore", "pipe"] }));
  await last.end;
  wrong.push(...(last.child.exitCode === 0 ? wrongIn(root, allPrograms) : [`the last build: ${last.said()}`]));
  if (round % roundsOfStore === 0) lost.push(...(await missedByFrozen(root)));
  const intervals = readTrace(trace);
  return {
    round,
    killed: running.filter(({ child }) => child.signalCode === "SIGKILL").length,
    lost,
    wrong,
    left: await leftOf(markOf(round)),
    measurements: intervals.length,
    overlaps: overlaps(intervals),
  };
}

/** What a build that may measure nothing misses in the lock. */
async function missedByFrozen(root: string): Promise<readonly string[]> {
  const args = [script, root, allPrograms, "frozen"];
  const { child, said, end } = watched(spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] }));
  await end;
  return child.exitCode === 0 ? [] : [`a frozen build: ${said()}`];
}

function watched(child: ChildProcess) {
  let text = "";
  child.stderr!.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { child, said: () => text.slice(-2000), end: once(child, "close") };
}

/** Reads the lock again and again, and notes the names that are in it. */
function watchLock(path: string, seen: Set<string>): { stop(): Promise<void> } {
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const content = await readLockfile(path);
      if (content.kind === "ok") for (const name of content.entries.keys()) seen.add(name);
      else seen.add(content.diagnostic.message);
      await sleep(20);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
    },
  };
}

/** Rows of the kernels of a built program that are wrong. */
function wrongIn(root: string, out: string): readonly string[] {
  const program = join(root, out, "main.mjs");
  if (!existsSync(program)) return [`${out} has no program`];
  const { wrong } = JSON.parse(execFileSync(process.execPath, [program], { encoding: "utf8" })) as { wrong: string[] };
  return wrong.map((rows) => `${rows} rows of ${out}`);
}

/** Processes whose environment has a mark, once they had time to end. */
async function leftOf(mark: string): Promise<readonly string[]> {
  for (let turn = 0; ; turn++) {
    const left = markedProcesses(mark);
    if (left.length === 0 || turn === 100) return left;
    await sleep(100);
  }
}

function markedProcesses(mark: string): readonly string[] {
  const pids = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return pids.flatMap((pid) => {
    try {
      const isMarked = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(mark);
      return isMarked ? [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")] : [];
    } catch {
      return [];
    }
  });
}
