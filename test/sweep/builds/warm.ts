// What an earlier build of the same project left: its lock, its store, a stranger's store, and its decision. Made once for each operator and
// target, by plain builds.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SharedDecision } from "../../../src/tuner/store/exchange.ts";
import { storedDecisions } from "../../../src/tuner/store/store-contents.ts";
import { type BuildCase, plainCase } from "./dimensions.ts";
import { ownAll, writeProject } from "./lay-project.ts";
import type { WarmStores } from "./lay-store.ts";
import { layTools } from "./lay-tools.ts";
import { foreignKey, lockName, runBuild, type Started } from "./project.ts";

export interface Warm {
  readonly lock: string;
  /** Name of the kernel in the lock, where `native` is a target of this machine. */
  readonly kernel: string;
  readonly stores: WarmStores;
  readonly decision: SharedDecision;
}

type Kernel = Pick<BuildCase, "operator" | "target">;

export interface WarmProjects {
  of(kernel: Kernel): Promise<Warm>;
  remove(): void;
}

export function createWarmProjects(): WarmProjects {
  const folder = mkdtempSync(join(tmpdir(), "drawn-warm-"));
  // The user that builds has to get through.
  chmodSync(folder, 0o755);
  const made = new Map<string, Promise<Warm>>();
  return {
    of({ operator, target }) {
      const name = `${operator}-${target}`;
      const warm = made.get(name) ?? makeWarm(join(folder, name), { operator, target });
      made.set(name, warm);
      return warm;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function makeWarm(root: string, kernel: Kernel): Promise<Warm> {
  await buildIn(join(root, "own"), kernel, undefined);
  await buildIn(join(root, "foreign"), kernel, foreignKey);
  const [decision] = await storedDecisions(join(root, "own/store"));
  if (!decision)
    throw new Error(`a plain build of ${kernel.operator} for ${kernel.target} has stored nothing: ${root}`);
  const lock = readFileSync(join(root, "own", lockName), "utf8");
  const [name] = Object.keys((JSON.parse(lock) as { kernels: object }).kernels);
  return {
    lock,
    kernel: name!,
    decision,
    stores: { own: join(root, "own/store"), foreign: join(root, "foreign/store") },
  };
}

async function buildIn(root: string, kernel: Kernel, key: string | undefined): Promise<void> {
  const drawn: BuildCase = { ...plainCase, ...kernel };
  const started: Started = { root, drawn, remoteUrl: null };
  mkdirSync(root, { recursive: true });
  writeProject(root, drawn);
  layTools(root, "right");
  writeFileSync(join(root, "trust.json"), "[]");
  ownAll(root);
  const { exitCode, stdout, stderr } = await runBuild(started, "out", key);
  if (exitCode !== 0 || !stdout.includes('"errors":[]')) throw new Error(`a plain build fails:\n${stdout}${stderr}`);
}
