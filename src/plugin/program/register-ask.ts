// Asks for the text of a kernel's module, and waits for it: a worker compiles while the program stands still, as it does for `require` and
// for `import` with Node's synchronous hooks.

import { startWaitingWorker } from "../../native/process/waiting-worker.ts";
import { errorOf } from "./plain-error.ts";
import type { ModuleQuestion } from "./register-compiler.ts";
import type { ModuleAnswer } from "./register-worker.ts";

let ask: ((question: string) => ModuleAnswer) | null = null;

/**
 * The worker starts with the first kernel: many programs that have the hooks import none, as the scripts of a package manager.
 *
 * @returns null: the file is no operator file
 * @throws plain errors
 */
export function moduleText(question: ModuleQuestion): string | null {
  ask ??= startWaitingWorker<ModuleAnswer>(new URL("./register-worker.js", import.meta.url));
  const answer = ask(JSON.stringify(question));
  if (answer.kind === "mistake") throw errorOf(answer.error);
  return answer.code;
}
