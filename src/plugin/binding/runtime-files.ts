// Paths of the files that emitted modules import: the runtime, and the script of workers as text.

import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { packageFile } from "../../native/machine/package-file.ts";

/** Specifiers of an emitted module's imports. */
export interface RuntimeFiles {
  readonly runtime: string;
  /** Module with the code that kernels for CUDA need beside the runtime, which it imports. */
  readonly cuda: string;
  /** Module whose default export is the script of workers. */
  readonly workerText: string;
}

const files: RuntimeFiles = {
  runtime: "dist/runtime.js",
  cuda: "dist/runtime-cuda.js",
  workerText: "dist/kernel-worker-text.js",
};

const mapped = (change: (path: string) => string): RuntimeFiles => ({
  runtime: change(files.runtime),
  cuda: change(files.cuda),
  workerText: change(files.workerText),
});

const pathOf = (file: string): string => packageFile(file).replaceAll("\\", "/");

/** Absolute paths for bundlers, none of which takes them for packages that are to stay outside. */
export const runtimePaths = (): RuntimeFiles => mapped(pathOf);

/** URLs for Node. */
export const runtimeUrls = (): RuntimeFiles => mapped((file) => pathToFileURL(packageFile(file)).href);

/** Relative paths for bundlers that take no absolute ones, as Turbopack: as the module in this folder sees the files. */
export const runtimeFrom = (folder: string): RuntimeFiles =>
  mapped((file) => {
    const way = relative(folder, pathOf(file)).replaceAll("\\", "/");
    return way.startsWith(".") ? way : `./${way}`;
  });

/** The script of workers, for hosts that emit it as a file. */
export const workerScript = (): Uint8Array => readFileSync(packageFile("dist/kernel-worker.js"));
