// Finds the C library of XGBoost on this machine: nothing is installed or downloaded for it.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Usual places of the library: Debian's libxgboost0, builds from source, Homebrew. */
const systemPlaces: readonly string[] = [
  "/usr/lib/x86_64-linux-gnu/libxgboost.so.0",
  "/usr/lib/aarch64-linux-gnu/libxgboost.so.0",
  "/usr/lib/libxgboost.so",
  "/usr/local/lib/libxgboost.so",
  "/opt/homebrew/lib/libxgboost.dylib",
  "/usr/local/lib/libxgboost.dylib",
];

export interface XgboostPlaces {
  /** Path that the user asked for: no other place is searched. */
  readonly path?: string | undefined;
  /** Folder of the project, whose node_modules may hold the package `xgboost_node`, which brings a library. */
  readonly project?: string;
}

/** Returns the library's path; null: none was found. Loading it may still fail (it needs libgomp). */
export function findXgboost({ path, project = process.cwd() }: XgboostPlaces = {}): string | null {
  if (path !== undefined) return existsSync(path) ? path : null;
  const places = [...packagePlaces(project), ...systemPlaces];
  return places.find((place) => existsSync(place)) ?? null;
}

function packagePlaces(project: string): readonly string[] {
  const require = createRequire(join(project, "package.json"));
  const manifest = require.resolve.paths("xgboost_node")?.map((folder) => join(folder, "xgboost_node", "package.json"));
  const found = manifest?.find((place) => existsSync(place));
  if (!found) return [];
  return ["lib/libxgboost.so", "lib/libxgboost.dylib"].map((file) => join(dirname(found), file));
}
