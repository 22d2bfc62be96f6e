// A short program of Node in a process of its own: text → what it printed. For questions whose answer may crash or hang a process.

import { spawn } from "node:child_process";

const longestMs = 20_000;

/** Returns the output of a program, an ES module; null: it failed, or did not end. */
export const outputOfProgram = (text: string): Promise<string | null> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", text], {
      stdio: ["ignore", "pipe", "ignore"],
      timeout: longestMs,
      windowsHide: true,
    });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.on("error", () => resolve(null));
    child.on("close", (status) => resolve(status === 0 ? output : null));
  });
