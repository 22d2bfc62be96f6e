// Collects garbage of a store again and again beside writers and readers, each a process of its own, with few files that the collector may
// open. Looks at the end for decisions that are lost.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openStore } from "../../../src/tuner/store/store.ts";
import { decisionKey, fillStore } from "./fill-store.ts";
import type { UserReport } from "./store-user.ts";

export interface GcOptions {
  /** The bundled `store-user-process.ts`. */
  readonly script: string;
  /** dist/cli.js */
  readonly cli: string;
  readonly decisions: number;
  readonly milliseconds: number;
  /** Hard limit of open files of the collector. */
  readonly mostFiles: number;
  /** Whether the collector is another user, who may write the store's folders and read none of its files; only root can ask for it. */
  readonly asOther: boolean;
}

export interface GcOutcome {
  readonly collections: number;
  readonly removed: number;
  readonly unreadable: number;
  readonly hits: number;
  readonly misses: number;
  readonly put: number;
  readonly lost: number;
  readonly errors: readonly string[];
}

/** User "nobody". */
const other = 65534;

export async function gcBesideUsers(options: GcOptions): Promise<GcOutcome> {
  const directory = mkdtempSync(join(tmpdir(), "gc-beside-"));
  try {
    await fillStore(directory, options.decisions);
    if (options.asOther) hideFiles(directory);
    const users = ["writer", "writer", "writer", "reader", "reader", "reader"].map((role, at) =>
      startUser(options, role, directory, `${role} ${at}`),
    );
    let running = true;
    const reports = Promise.all(users.map(reportOf)).finally(() => {
      running = false;
    });
    const errors: string[] = [];
    let [collections, removed, unreadable] = [0, 0, 0];
    while (running) {
      try {
        const said = await collect(options, directory);
        collections += 1;
        removed += said.removed;
        unreadable = Math.max(unreadable, said.unreadable);
      } catch (error) {
        errors.push(`gc: ${error}`);
        break;
      }
    }
    const all = await reports;
    const store = openStore(directory);
    const keys = [
      ...Array.from({ length: options.decisions }, (_, at) => decisionKey(at)),
      ...all.flatMap(({ put }) => put),
    ];
    let lost = 0;
    for (const key of keys) if ((await store.entry(key)) === null) lost += 1;
    const sum = (of: (report: UserReport) => number): number => all.reduce((total, report) => total + of(report), 0);
    return {
      collections,
      removed,
      unreadable,
      hits: sum((it) => it.hits),
      misses: sum((it) => it.misses),
      put: sum((it) => it.put.length),
      lost,
      errors: [...errors, ...all.flatMap((it) => it.errors)],
    };
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Makes folders writable for all, and content readable for its owner alone, as umask 077 of a first user leaves it in a shared folder. */
function hideFiles(directory: string): void {
  chmodSync(directory, 0o777);
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    const path = join(directory, name);
    if (statSync(path).isDirectory()) chmodSync(path, 0o777);
    else chmodSync(path, name.startsWith("content-v2") ? 0o600 : 0o666);
  }
  chownSync(directory, 0, 0);
}

const startUser = ({ script, decisions, milliseconds }: GcOptions, role: string, directory: string, name: string) =>
  spawn(process.execPath, [script, role, directory, String(decisions), name, String(milliseconds)], {
    stdio: ["ignore", "pipe", "inherit"],
  });

function reportOf(child: ChildProcess): Promise<UserReport> {
  let text = "";
  child.stdout!.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(text) as UserReport);
      else reject(new Error(`a user of the store ended with exit code ${code}`));
    });
  });
}

async function collect({ cli, mostFiles, asOther }: GcOptions, directory: string) {
  const command = `ulimit -H -n ${mostFiles}; exec "${process.execPath}" "${cli}" cache gc --days 0 --json --cache-dir "${directory}"`;
  const [program, ...before] = asOther
    ? ["setpriv", `--reuid=${other}`, `--regid=${other}`, "--clear-groups", "sh"]
    : ["sh"];
  const { stdout } = await promisify(execFile)(program!, [...before, "-c", command], { cwd: tmpdir() });
  return JSON.parse(stdout) as { readonly removed: number; readonly unreadable: number };
}
