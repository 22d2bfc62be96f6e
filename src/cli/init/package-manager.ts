// A project's folder → the package manager that it is worked on with, and how its commands are typed.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { PackageJson } from "./package-json.ts";

export interface PackageManager {
  /** Installs what package.json asks for. */
  readonly install: string;
  /** Runs a script of package.json. */
  run(script: string): string;
}

const managers = {
  npm: { install: "npm install", run: (script) => `npm run ${script}` },
  pnpm: { install: "pnpm install", run: (script) => `pnpm ${script}` },
  yarn: { install: "yarn install", run: (script) => `yarn ${script}` },
  bun: { install: "bun install", run: (script) => `bun run ${script}` },
  deno: { install: "deno install", run: (script) => `deno task ${script}` },
} as const satisfies Readonly<Record<string, PackageManager>>;
type ManagerName = keyof typeof managers;

const lockfiles: Readonly<Record<string, ManagerName>> = {
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
  "deno.lock": "deno",
};

const isManager = (name: string): name is ManagerName => Object.hasOwn(managers, name);

/** Returns the manager of the nearest lock file: a workspace has one above its packages. The search ends at the repository's folder. */
function byLockfile(folder: string): ManagerName | null {
  const found = Object.entries(lockfiles).find(([name]) => existsSync(join(folder, name)));
  if (found) return found[1];
  const above = dirname(folder);
  return above === folder || existsSync(join(folder, ".git")) ? null : byLockfile(above);
}

/** What package.json says comes first, as Corepack has it; npm where nothing says anything. */
export function packageManagerOf(root: string, { packageManager = "" }: PackageJson): PackageManager {
  const named = packageManager.split("@")[0]!;
  return managers[isManager(named) ? named : (byLockfile(root) ?? "npm")];
}

/** Whether a package can be found from a project's folder: in a workspace it may be above it, with Plug'n'Play anywhere. */
export function isInstalled(root: string, name: string): boolean {
  try {
    createRequire(join(root, "package.json")).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}
