// A warm store → the store of a case.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Rng } from "../../../src/tuner/support/rng.ts";
import { type PlantName, plants } from "../../support/foreign-store.ts";
import type { BuildCase } from "./dimensions.ts";

export interface WarmStores {
  /** Store of an earlier build of this user. */
  readonly own: string;
  /** The same of a user with another key. */
  readonly foreign: string;
}

const filesBelow = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .map((name) => join(folder, name))
        .filter((path) => statSync(path).isFile())
        .sort()
    : [];

/** Flips a bit in each of some files. */
function flipBits(folder: string, rng: Rng): void {
  for (const path of filesBelow(folder)) {
    const bytes = readFileSync(path);
    if (bytes.length === 0 || rng.unit() < 0.3) continue;
    const at = rng.below(bytes.length);
    bytes[at] = bytes[at]! ^ (1 << rng.below(8));
    writeFileSync(path, bytes);
  }
}

const damages: { readonly [store in BuildCase["store"]]?: (folder: string, rng: Rng) => void } = {
  "flipped bits": flipBits,
  "files of zero length": (folder) => {
    for (const path of filesBelow(folder)) truncateSync(path);
  },
  "missing blobs": (folder) => rmSync(join(folder, "content-v2"), { recursive: true }),
  "missing index": (folder) => rmSync(join(folder, "index-v5"), { recursive: true }),
};

/** @param marker file that planted code would write */
export async function layStore(
  root: string,
  kind: BuildCase["store"],
  warm: WarmStores,
  marker: string,
  rng: Rng,
): Promise<void> {
  const folder = join(root, "store");
  if (kind === "empty") return;
  if (kind === "a file in its place" || kind === "below a file") return writeFileSync(folder, "no folder");
  if (kind === "read-only") return void mkdirSync(folder);
  cpSync(kind === "of another key" ? warm.foreign : warm.own, folder, { recursive: true });
  damages[kind]?.(folder, rng);
  if (kind.startsWith("planted ")) await plants[kind.slice("planted ".length) as PlantName](folder, marker);
}
