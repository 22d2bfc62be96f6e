// Processes of simulated workers. One that dies is started again, as a service manager does; its log is shared by all.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const repository = (() => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!readFileSyncOrNull(join(folder, "biome.json"))) folder = dirname(folder);
  return folder;
})();

function readFileSyncOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Bundles the worker. `user` tells test files apart, which run side by side. */
export async function workerScript(user: string): Promise<string> {
  const outfile = join(repository, `dist/test/fleet-worker-${user}.mjs`);
  await build({
    entryPoints: [join(repository, "test/support/fleet/worker-process.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    logLevel: "warning",
  });
  return outfile;
}

export interface MeasuredLine {
  readonly worker: string;
  readonly name: string;
  readonly ms: number;
  /** Time of day at its end, in milliseconds. */
  readonly endMs: number;
}

export interface WorkerProcesses {
  start(id: string, label: string, key?: string): void;
  /** Sends a signal to a worker. One that dies is started again. */
  signal(id: string, signal: NodeJS.Signals): void;
  /** Number of deaths so far. */
  deaths(): number;
  measured(): readonly MeasuredLine[];
  stop(): Promise<void>;
}

export function workerProcesses(script: string, url: string, lockMs: number): WorkerProcesses {
  const folder = mkdtempSync(join(tmpdir(), "fleet-"));
  const log = join(folder, "measured.log");
  writeFileSync(log, "");
  const running = new Map<string, ChildProcess>();
  let isOver = false;
  let deaths = 0;

  function start(id: string, label: string, key = ""): void {
    const child = spawn(process.execPath, [script, url, label, id, log, String(lockMs), key], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    running.set(id, child);
    child.once("exit", () => {
      if (isOver) return;
      deaths += 1;
      start(id, label, key);
    });
  }

  return {
    start,
    signal: (id, signal) => void running.get(id)?.kill(signal),
    deaths: () => deaths,
    measured: () =>
      readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
          const [worker = "", name = "", ms = "", endMs = ""] = line.split(" ");
          return { worker, name, ms: Number(ms), endMs: Number(endMs) };
        }),
    async stop() {
      isOver = true;
      const all = [...running.values()].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
      await Promise.all(
        all.map((child) => {
          const gone = new Promise((resolve) => child.once("exit", resolve));
          child.kill("SIGKILL");
          return gone;
        }),
      );
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
