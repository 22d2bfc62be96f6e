// A command of the package that serves a page, as people start it: ready when it has printed the page's address.

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

const repository = join(import.meta.dirname, "../..");

export interface Served {
  readonly url: string;
  readonly child: ChildProcess;
  /** Output so far. */
  output(): string;
  errors(): string;
  readonly ended: Promise<number | null>;
}

const running = new Set<ChildProcess>();

/** Starts `npx unplugin-kernel …` in a project. */
export async function serve(root: string, ...args: readonly string[]): Promise<Served> {
  const child = spawn(process.execPath, [join(repository, "dist/cli.js"), ...args], {
    cwd: root,
    env: { ...process.env, CI: "1" },
  });
  running.add(child);
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
      const [found] = /https?:\S+/.exec(errors) ?? [];
      if (found) resolve(found);
    });
    ended.then(() => reject(new Error(`it ended: ${errors}${output}`)));
  });
  return { url, child, output: () => output, errors: () => errors, ended };
}

/** Kills what a test has left. */
export function killServed(): void {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
}
