// The queue of a fleet on Slurm: each job is a file and one `sbatch --wait --exclusive` that runs a worker on it; the results come
// back as a file. The folder has to be on a file system that the nodes share. A first job asks a node for its class.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sleepMs } from "../../native/machine/clock.ts";
import { runCommand } from "../../native/process/run-command.ts";
import { type JobFile, parseJobFile } from "../../tuner/fleet/job-file.ts";
import { memoryStore } from "../../tuner/fleet/memory-store.ts";
import { printable } from "../../tuner/fleet/printable.ts";
import { type FleetQueue, type JobState, QueueLost } from "../../tuner/fleet/queue.ts";

export interface SlurmOptions {
  /** Features of the nodes, as `sbatch --constraint` takes them. */
  readonly constraint: string;
  /** Folder for jobs and results. */
  readonly folder: string;
  /** The worker's command on a node, without the arguments that name its files. */
  readonly worker: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

export async function openSlurmQueue({ constraint, folder, worker, signal }: SlurmOptions): Promise<FleetQueue> {
  await mkdir(folder, { recursive: true });
  const store = memoryStore();
  const states = new Map<string, JobState>();

  const sbatch = (...args: readonly string[]): Promise<string | null> =>
    runCommand(
      "sbatch",
      [
        "--wait",
        "--exclusive",
        `--constraint=${constraint}`,
        `--output=${join(folder, "slurm-%j.log")}`,
        "--job-name=unplugin-kernel",
        `--wrap=${[...worker, ...args].map(quoted).join(" ")}`,
      ],
      { signal },
    );

  async function run(id: string, text: string): Promise<void> {
    const [job, out] = [join(folder, `${id}.job.json`), join(folder, `${id}.results.json`)];
    await writeFile(job, text);
    await rm(out, { force: true });
    const failure = await sbatch("--job", job, "--out", out);
    const written = await readFile(out, "utf8").catch(() => null);
    const file: JobFile | null = written === null ? null : parseJobFile(written);
    for (const [name, result] of Object.entries(file?.results ?? {})) await store.createOnce(name, result);
    states.set(id, stateOf(file, failure));
    await Promise.all([job, out].map((path) => rm(path, { force: true })));
  }

  async function describe(): Promise<readonly string[]> {
    const out = join(folder, "worker.json");
    await rm(out, { force: true });
    const failure = await sbatch("--describe", out);
    const text = await readFile(out, "utf8").catch(() => null);
    if (text === null) throw new QueueLost(failure ?? "its node wrote nothing");
    return [text];
  }
  let described: Promise<readonly string[]> | null = null;

  return {
    ...store,
    workers() {
      described ??= describe();
      return described;
    },
    async submit(_, id, text) {
      if (states.has(id)) return;
      states.set(id, { kind: "active" });
      run(id, text).catch((error: unknown) =>
        states.set(id, {
          kind: "failed",
          reason: `sbatch: ${error instanceof Error ? error.message : error}`,
          lost: false,
        }),
      );
    },
    state: async (_, id) => states.get(id) ?? { kind: "unknown" },
    async withdraw(_, id) {
      if (states.get(id)?.kind !== "active") states.delete(id);
    },
    changed: (_, ms) => sleepMs(ms),
    close: async () => undefined,
  };
}

function stateOf(file: JobFile | null, failure: string | null): JobState {
  if (file?.refused) return { kind: "failed", reason: printable(file.refused), lost: false };
  if (file?.end) return { kind: "done", text: file.end };
  return { kind: "failed", reason: `sbatch: ${failure ?? "the worker wrote nothing"}`, lost: false };
}
