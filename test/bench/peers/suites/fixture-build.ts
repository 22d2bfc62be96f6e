// The builds of fixtures/apps: a bundler with the plugin of this checkout, as its users have it.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

export type Bundler = "rollup" | "esbuild";

/** Folder of the fixture apps in the checkout, seen from dist/test. */
export const apps: string = join(import.meta.dirname, "../../fixtures/apps");

export const buildFile = (bundler: Bundler): string => join(apps, bundler, "build.js");

/** Writes `<outdir>/main.mjs` and what it needs. */
export type Build = (entry: string, outdir: string, options: object) => Promise<void>;

export async function buildOf(bundler: Bundler): Promise<Build> {
  const { build }: { readonly build: Build } = await import(pathToFileURL(buildFile(bundler)).href);
  return build;
}
