// A case → its folder, with all that the build finds there.

import { chmodSync, chownSync, lchownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRng } from "../../../src/tuner/support/rng.ts";
import type { BuildCase } from "./dimensions.ts";
import { layConfiguration, setConfigurationRights } from "./lay-configuration.ts";
import { layLock } from "./lay-lock.ts";
import { layPack } from "./lay-pack.ts";
import { layStore } from "./lay-store.ts";
import { layTools } from "./lay-tools.ts";
import { operatorFile, operators, programText } from "./operators.ts";
import { type Started, trustFile } from "./project.ts";
import { isRoot, nobody } from "./run-program.ts";
import type { Warm } from "./warm.ts";

/** Writes the program and the operator, and makes the folders that every case has. */
export function writeProject(root: string, { operator, target }: BuildCase): void {
  for (const folder of ["src", "lock", "temporary", "bin", "home"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "package.json"), '{ "name": "drawn", "type": "module" }\n');
  writeFileSync(join(root, "src", operatorFile), operators[operator].text);
  writeFileSync(join(root, "src/main.js"), programText(operators[operator], target));
}

/** File that planted code writes when it runs. */
export const markerOf = (root: string): string => join(root, "planted-code-ran");

export async function layProject(started: Started, warm: Warm, seed: number): Promise<void> {
  const { root, drawn } = started;
  writeProject(root, drawn);
  writeFileSync(join(root, "trust.json"), trustFile(started));
  layLock(root, drawn.lock, warm.lock);
  await layStore(root, drawn.store, warm.stores, markerOf(root), createRng(seed));
  layPack(root, drawn.pack, warm.decision);
  layTools(root, drawn.compiler);
  layConfiguration(root, drawn);
  ownAll(root);
  setConfigurationRights(root, drawn);
  if (drawn.lock === "in a read-only folder") chmodSync(join(root, "lock"), 0o555);
  if (drawn.store.endsWith("read-only")) setFolders(join(root, "store"), 0o555);
}

function setFolders(path: string, mode: number): void {
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) setFolders(join(path, name), mode);
  chmodSync(path, mode);
}

/** Gives all to the user that builds. */
export function ownAll(path: string): void {
  if (!isRoot) return;
  lchownSync(path, nobody, nobody);
  if (!lstatSync(path).isDirectory()) return;
  chownSync(path, nobody, nobody);
  for (const name of readdirSync(path)) ownAll(join(path, name));
}
