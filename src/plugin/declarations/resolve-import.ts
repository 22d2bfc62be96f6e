// An import of a kernel → its operator's file, without the project's bundler: what the plugin itself knows, paths from the root as Vite has
// them, then esbuild's own rules for packages and for the "paths" of tsconfig.json.

import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { build, type PluginBuild } from "esbuild";
import { locateOperator } from "../locate-operator.ts";

/** Resolves the import of a script; null: there is no such file, as far as these rules go. */
export async function resolveImport(specifier: string, importer: string, root: string): Promise<string | null> {
  const path = specifier.split("?")[0]!;
  const located = await locateOperator(specifier, importer);
  if (located) return existsSync(located) ? located : null;
  if (isAbsolute(path)) return existsSync(join(root, path)) ? join(root, path) : null;
  return resolveWithEsbuild(path, importer);
}

async function resolveWithEsbuild(path: string, importer: string): Promise<string | null> {
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
  await build({ ...nothing, absWorkingDir: resolveDir, plugins: [ask] }).catch(() => undefined);
  return found;
}
