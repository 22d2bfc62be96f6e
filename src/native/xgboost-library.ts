// Where the C library of XGBoost lies on this machine: nothing is installed or downloaded for it.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Debian's libxgboost0, whoever builds from source, Homebrew. */
const systemPlaces: readonly string[] = [
  "/usr/lib/x86_64-linux-gnu/libxgboost.so.0",
  "/usr/lib/aarch64-linux-gnu/libxgboost.so.0",
  "/usr/lib/libxgboost.so",
  "/usr/local/lib/libxgboost.so",
  "/opt/homebrew/lib/libxgboost.dylib",
  "/usr/local/lib/libxgboost.dylib",
];

export interface XgboostPlaces {
  /** Asked for by name: nothing else is looked at. */
  readonly path?: string | undefined;
  /** Its node_modules may hold the package `xgboost_node`, which brings a library. */
  readonly project?: string;
}

/** Null: there is none. Whether it can be loaded (it needs libgomp) is seen when it is. */
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
