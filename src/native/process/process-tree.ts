// Processes that are ended with all that they start, and that hear no Ctrl-C of the terminal, since we tell them of it: on Linux and macOS a process
// group of their own, on Windows a console of their own, which nobody sees. Where this process is killed, Windows ends what it started itself.

import { type ChildProcess, spawnSync } from "node:child_process";
import { join } from "node:path";

const isWindows = process.platform === "win32";

/** Options of `spawn`. */
export const ownTree: { readonly detached: boolean; readonly windowsHide: boolean } = {
  detached: !isWindows,
  windowsHide: true,
};

/** Ends a process that was started with `ownTree`, and all that it has started. */
export function killTree(child: Pick<ChildProcess, "pid" | "kill">): void {
  if (!isWindows) killGroup(child.pid);
  else {
    if (child.pid !== undefined) killTreeOfWindows(child.pid);
    child.kill("SIGKILL");
  }
}

/** Most milliseconds that Windows is given for it: the process itself is killed then. */
const treeMs = 5_000;

/** Windows knows who started a process only as long as that one lives: the tree is taken down from its root. */
function killTreeOfWindows(pid: number): void {
  const command = join(process.env.SystemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
  spawnSync(command, ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true, timeout: treeMs });
}

/** Kills a process group. Processes with another user's rights stay; macOS refuses a group of which all have ended, too. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
