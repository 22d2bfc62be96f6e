// Finds the package manager of a project, and how its commands are typed: for hints, and for what `init` writes.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface PackageManager {
  /** Installs what package.json asks for. */
  readonly install: string;
  /** Runs a script of package.json. */
  run(script: string): string;
  /** Runs a program that a dependency brings. */
  execute(command: string): string;
  /** Adds a dependency for development. */
  add(name: string): string;
}

const managers = {
  npm: {
    install: "npm install",
    run: (script) => `npm run ${script}`,
    execute: (command) => `npx ${command}`,
    add: (name) => `npm install --save-dev ${name}`,
  },
  pnpm: {
    install: "pnpm install",
    run: (script) => `pnpm ${script}`,
    execute: (command) => `pnpm exec ${command}`,
    add: (name) => `pnpm add --save-dev ${name}`,
  },
  yarn: {
    install: "yarn install",
    run: (script) => `yarn ${script}`,
    execute: (command) => `yarn run ${command}`,
    add: (name) => `yarn add --dev ${name}`,
  },
  bun: {
    install: "bun install",
    run: (script) => `bun run ${script}`,
    execute: (command) => `bunx ${command}`,
    add: (name) => `bun add --dev ${name}`,
  },
  deno: {
    install: "deno install",
    run: (script) => `deno task ${script}`,
    execute: (command) => `deno run --allow-all npm:${command}`,
    add: (name) => `deno add --dev npm:${name}`,
  },
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

/** Package manager that package.json names, in Corepack's form; null: none is named, or the file cannot be read. */
function namedIn(root: string): ManagerName | null {
  try {
    const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      packageManager?: unknown;
    };
    const name = String(packageManager).split("@")[0]!;
    return Object.hasOwn(managers, name) ? (name as ManagerName) : null;
  } catch {
    return null;
  }
}

/** Returns the manager of the nearest lock file: a workspace has one above its packages. The search ends at the repository's folder. */
function byLockfile(folder: string): ManagerName | null {
  const found = Object.entries(lockfiles).find(([name]) => existsSync(join(folder, name)));
  if (found) return found[1];
  const above = dirname(folder);
  return above === folder || existsSync(join(folder, ".git")) ? null : byLockfile(above);
}

/** Returns the project's package manager: the one that package.json names, else the one of its lock file, else npm. */
export const packageManagerOf = (root: string): PackageManager => managers[namedIn(root) ?? byLockfile(root) ?? "npm"];

/** Says whether a package can be found from a project's folder: in a workspace it may be above it, with Plug'n'Play anywhere. */
export function isInstalled(root: string, name: string): boolean {
  try {
    createRequire(join(root, "package.json")).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}
