// Paths of the files that emitted modules import: the runtime, and the script of workers as text.

import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { packageFile } from "../../native/machine/package-file.ts";

/** Specifiers of an emitted module's imports. */
export interface RuntimeFiles {
  readonly runtime: string;
  /** Module whose default export is the script of workers. */
  readonly workerText: string;
}

const files = { runtime: "dist/runtime.js", workerText: "dist/kernel-worker-text.js" } as const;

/** Absolute paths for bundlers, none of which takes them for packages that are to stay outside. */
export const runtimePaths = (): RuntimeFiles => ({
  runtime: packageFile(files.runtime).replaceAll("\\", "/"),
  workerText: packageFile(files.workerText).replaceAll("\\", "/"),
});

/** URLs for Node. */
export const runtimeUrls = (): RuntimeFiles => ({
  runtime: pathToFileURL(packageFile(files.runtime)).href,
  workerText: pathToFileURL(packageFile(files.workerText)).href,
});

/** Relative paths for bundlers that take no absolute ones, as Turbopack: as the module in this folder sees the files. */
export function runtimeFrom(folder: string): RuntimeFiles {
  const { runtime, workerText } = runtimePaths();
  const seen = (path: string): string => {
    const way = relative(folder, path).replaceAll("\\", "/");
    return way.startsWith(".") ? way : `./${way}`;
  };
  return { runtime: seen(runtime), workerText: seen(workerText) };
}

/** The script of workers, for hosts that emit it as a file. */
export const workerScript = (): Uint8Array => readFileSync(packageFile("dist/kernel-worker.js"));
