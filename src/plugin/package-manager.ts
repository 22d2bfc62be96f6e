// Finds the package manager of a project, by the nearest lock file above it. Hints show the commands of that manager.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

interface PackageManager {
  readonly lockfiles: readonly string[];
  /** Runs a program that a dependency brings. */
  readonly run: string;
  readonly addForDevelopment: string;
}

const npm: PackageManager = {
  lockfiles: ["package-lock.json", "npm-shrinkwrap.json"],
  run: "npx",
  addForDevelopment: "npm install --save-dev",
};

const packageManagers: readonly PackageManager[] = [
  npm,
  { lockfiles: ["pnpm-lock.yaml"], run: "pnpm exec", addForDevelopment: "pnpm add --save-dev" },
  { lockfiles: ["yarn.lock"], run: "yarn run", addForDevelopment: "yarn add --dev" },
  { lockfiles: ["bun.lock", "bun.lockb"], run: "bunx", addForDevelopment: "bun add --dev" },
];

function packageManagerOf(folder: string): PackageManager {
  const found = packageManagers.find(({ lockfiles }) => lockfiles.some((name) => existsSync(join(folder, name))));
  if (found) return found;
  const above = dirname(folder);
  return above === folder ? npm : packageManagerOf(above);
}

/** @example commandIn("/work/app", "unplugin-kernel tune") // "pnpm exec unplugin-kernel tune" */
export const commandIn = (root: string, command: string): string => `${packageManagerOf(root).run} ${command}`;

/** @example additionIn("/work/app", "koffi") // "yarn add --dev koffi" */
export const additionIn = (root: string, name: string): string => `${packageManagerOf(root).addForDevelopment} ${name}`;
