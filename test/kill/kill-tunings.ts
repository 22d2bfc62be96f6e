// Kills tunings at random moments (SIGKILL, so nothing of theirs runs any more) and looks at what they left: every
// measurement that was announced has to be in the file, and at most the last line may be torn.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { parseRecords } from "../../src/tuner/record/database.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { outcomeDigest } from "./outcome-digest.ts";

/** Milliseconds after a tuning is started, or after it announced its first measurement. */
interface Moment {
  readonly since: "start" | "first";
  readonly afterMs: number;
}

export interface Killed extends Moment {
  /** Measurements announced by this tuning. */
  readonly announced: number;
  /** Records in the file, with those of earlier tunings. */
  readonly records: number;
  readonly hasTornLine: boolean;
  /** Measurements announced by this or an earlier tuning of the file, and missing in it. */
  readonly lost: number;
  /** Lines that became unreadable and are not the last. */
  readonly damaged: number;
}

/** Tunings of one file, one after the other: resuming reads all that was measured before. */
const tuningsOfFile = 10;

/** Share of the tunings that are killed while they start; the others are killed while they measure. */
const startingShare = 0.2;
const startingMs = 2000;
const measuringMs = 500;

/**
 * Starts and kills `count` tunings, each at a random moment.
 *
 * @param seed of the moments and of the searches
 */
export async function killTunings(count: number, seed: number, onKilled: (killed: Killed) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "kill-tunings-"));
  try {
    const script = await bundled(folder);
    const rng = createRng(seed);
    for (let at = 0; at < count; at += tuningsOfFile) {
      const path = join(folder, `${at}.jsonl`);
      const moments = Array.from({ length: Math.min(tuningsOfFile, count - at) }, () =>
        momentOf(rng.unit(), rng.unit()),
      );
      await killInTurn(script, path, seed + at, moments, onKilled);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const momentOf = (which: number, when: number): Moment =>
  which < startingShare
    ? { since: "start", afterMs: when * startingMs }
    : { since: "first", afterMs: when * measuringMs };

async function killInTurn(
  script: string,
  path: string,
  seed: number,
  moments: readonly Moment[],
  onKilled: (killed: Killed) => void,
): Promise<void> {
  const announced: string[] = [];
  let skippedBefore = 0;
  for (const [turn, moment] of moments.entries()) {
    const said = await announcedUntil(moment, script, path, seed + turn);
    announced.push(...said);
    const content = readOrEmpty(path);
    const { records, skippedLines } = parseRecords(content);
    const there = new Set(records.map(outcomeDigest));
    const hasTornLine = !content.endsWith("\n") && content !== "";
    onKilled({
      ...moment,
      announced: said.length,
      records: records.length,
      hasTornLine,
      lost: announced.filter((digest) => !there.has(digest)).length,
      damaged: Math.max(0, skippedLines - skippedBefore - (hasTornLine ? 1 : 0)),
    });
    skippedBefore = skippedLines;
  }
}

/** Kills a tuning at the given moment, and returns the measurements that it had announced by then. */
function announcedUntil({ since, afterMs }: Moment, script: string, path: string, seed: number): Promise<string[]> {
  const child = spawn(process.execPath, [script, path, String(seed)], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  let isTimed = false;
  const killLater = (): void => {
    if (!isTimed) setTimeout(() => child.kill("SIGKILL"), afterMs);
    isTimed = true;
  };
  if (since === "start") killLater();
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    killLater();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (signal === "SIGKILL") resolve(text.split("\n").slice(0, -1));
      else reject(new Error(`the tuning ended by itself: exit code ${code}`));
    });
  });
}

async function bundled(folder: string): Promise<string> {
  const outfile = join("dist", "test", `killed-${folder.slice(-6)}.mjs`);
  await build({
    entryPoints: ["test/kill/tuning.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  return outfile;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
