// Operator files written on the fly: source text → what a build would say to it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ComputeDef, DiagnosticError, instantiate, type Parameters } from "../../src/compiler/index.ts";
import { loadOp } from "../../src/plugin/operator/load-op.ts";

/** Runs `body` in a folder that holds `files`, path → text, and removes the folder. */
export async function inFolder<T>(
  files: Readonly<Record<string, string>>,
  body: (root: string) => Promise<T>,
): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), "op-file-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return await body(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** The instance that a build makes of the file `src/x.op.ts` with this text. */
export const build = (text: string, overrides: Partial<Parameters> = {}): Promise<ComputeDef> =>
  inFolder({ "src/x.op.ts": text }, async (root) => {
    const { op } = await loadOp(join(root, "src/x.op.ts"), { root, store: null });
    return instantiate(op, overrides, "x");
  });

/** The diagnostic that `run` ends with, as the user sees it. */
export async function printedError(run: () => Promise<unknown>): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (error instanceof DiagnosticError) return error.message;
    throw error;
  }
  throw new Error("no diagnostic was given");
}
