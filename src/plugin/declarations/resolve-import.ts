// An import of a kernel → its operator's file, without the project's bundler: what the plugin itself knows, paths from the root as Vite has
// them, then esbuild's own rules for packages and for the "paths" of tsconfig.json, or of those that it refers to, as Vue's and Nuxt's does.

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { PluginBuild } from "esbuild";
import { locateOperator } from "../request/locate-operator.ts";

/** Resolves the import of a script; null: there is no such file, as far as these rules go. */
export async function resolveImport(specifier: string, importer: string, root: string): Promise<string | null> {
  const path = specifier.split("?")[0]!;
  const located = await locateOperator(specifier, importer);
  if (located) return existsSync(located) ? located : null;
  if (isAbsolute(path)) return existsSync(join(root, path)) ? join(root, path) : null;
  const found = await resolveWithEsbuild(path, importer);
  if (found) return found;
  for (const tsconfig of referredTsconfigs(root)) {
    const file = await resolveWithEsbuild(path, importer, tsconfig);
    if (file) return file;
  }
  return null;
}

/** The configurations that "references" of a project's tsconfig.json name; those whose folder is named have the usual name in it. */
function referredTsconfigs(root: string): readonly string[] {
  const main = join(root, "tsconfig.json");
  if (!existsSync(main)) return [];
  const named = [...readFileSync(main, "utf8").matchAll(/"path"\s*:\s*"([^"]+)"/g)].map(([, path]) =>
    join(root, path!),
  );
  return named
    .filter((path) => existsSync(path))
    .map((path) => (statSync(path).isDirectory() ? join(path, "tsconfig.json") : path));
}

async function resolveWithEsbuild(path: string, importer: string, tsconfig?: string): Promise<string | null> {
  const { build } = await import("esbuild");
  let found: string | null = null;
  const resolveDir = dirname(importer);
  const ask = {
    name: "ask",
    setup({ onStart, resolve }: PluginBuild): void {
      onStart(async () => {
        const result = await resolve(path, { kind: "import-statement", importer, resolveDir });
        if (result.errors.length === 0 && !result.external && isAbsolute(result.path)) found = result.path;
      });
    },
  };
  const nothing = { stdin: { contents: "", resolveDir }, bundle: true, write: false, logLevel: "silent" } as const;
  await build({ ...nothing, ...(tsconfig && { tsconfig }), absWorkingDir: resolveDir, plugins: [ask] }).catch(
    () => undefined,
  );
  return found;
}
