// The npm package `webgpu`, which is Dawn for Node: where it lies, and what it exports. It is the user's own, as its binaries for five
// platforms have 130 MB.

import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export interface Dawn {
  /** Starts an instance, by options of Dawn: "backend=null". It has to be held as long as anything of it is used. */
  create(options: readonly string[]): GPU;
  readonly globals: {
    readonly GPUBufferUsage: Readonly<
      Record<"STORAGE" | "COPY_SRC" | "COPY_DST" | "MAP_READ" | "QUERY_RESOLVE", number>
    >;
    readonly GPUMapMode: { readonly READ: number };
  };
}

const packageName = "webgpu";

export const missingDawn =
  "there is no WebGPU for Node: install the package webgpu, or name its folder in UNPLUGIN_KERNEL_WEBGPU";

export interface DawnPlaces {
  /** Folder or file of the package, where it lies elsewhere. */
  readonly path?: string | undefined;
  /** Folder of the project. */
  readonly project?: string;
}

/** Returns the file that is imported; null: the package is not installed, neither in the project nor beside this one. */
export function findDawn({
  path = process.env.UNPLUGIN_KERNEL_WEBGPU,
  project = process.cwd(),
}: DawnPlaces = {}): string | null {
  if (path !== undefined && path !== "") return entryOf(path);
  const places = [join(project, "package.json"), fileURLToPath(import.meta.url)];
  for (const place of places) {
    const folders = createRequire(place).resolve.paths(packageName) ?? [];
    const found = folders.map((folder) => entryOf(join(folder, packageName))).find((entry) => entry !== null);
    if (found) return found;
  }
  return null;
}

/** Main file of a package, by its folder or by itself. */
function entryOf(path: string): string | null {
  if (!existsSync(path)) return null;
  if (statSync(path).isFile()) return path;
  const manifest = join(path, "package.json");
  if (!existsSync(manifest)) return null;
  const { main = "index.js" } = createRequire(manifest)(manifest) as { readonly main?: string };
  const entry = join(dirname(manifest), main);
  return existsSync(entry) ? entry : null;
}

/** Version of the package with this main file; empty: it says none. */
export function versionOfDawn(file: string): string {
  const manifest = join(dirname(file), "package.json");
  if (!existsSync(manifest)) return "";
  const { version = "" } = createRequire(manifest)(manifest) as { readonly version?: string };
  return version;
}

/** Loads the package. An Error says what its binary lacks on this machine. */
export const loadDawn = (file: string): Promise<Dawn> => import(pathToFileURL(file).href) as Promise<Dawn>;

/** Whether adapters that compute on the CPU are taken, as tests want: UNPLUGIN_KERNEL_WEBGPU_SOFTWARE=1. */
export const takesSoftware = (): boolean => process.env.UNPLUGIN_KERNEL_WEBGPU_SOFTWARE === "1";
