// This checkout and another one in one process, each by the API and the operators that it has built: what benches compare in pairs.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type * as Api from "../../src/api/index.ts";
import type { Op, opLibrary } from "../../src/compiler/index.ts";

export type Library = typeof opLibrary;
export type Make = (library: Library) => Op;

export interface Side {
  readonly api: typeof Api;
  readonly library: Library;
}

async function sideOf(checkout: string): Promise<Side> {
  const load = (file: string): Promise<unknown> => import(pathToFileURL(resolve(checkout, "dist", file)).href);
  return { api: (await load("api.js")) as typeof Api, library: (await load("ops.js")) as Library };
}

/** Loads this checkout and the one that `--against` names, which has been built: node build.js --no-types */
export async function twoCheckouts(): Promise<{ readonly sides: readonly [Side, Side]; readonly against: string }> {
  const { against } = parseArgs({ options: { against: { type: "string" } } }).values;
  if (against === undefined) throw new Error("--against <checkout> names the other one");
  return { sides: [await sideOf(process.cwd()), await sideOf(against)], against };
}
