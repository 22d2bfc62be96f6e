// A script → the modules that it imports, as written. esbuild parses it, TypeScript and JSX too, and resolves nothing.

import type { PluginBuild } from "esbuild";

/** Specifiers that a script imports; none for one that does not parse: its build reports that. */
export async function importsOfScript(path: string): Promise<readonly string[]> {
  const { build } = await import("esbuild");
  const specifiers = new Set<string>();
  const note = {
    name: "note-imports",
    setup({ onResolve }: PluginBuild): void {
      onResolve({ filter: /.*/ }, ({ path: specifier, kind }) => {
        if (kind === "entry-point") return null;
        specifiers.add(specifier);
        return { path: specifier, external: true };
      });
    },
  };
  const options = { bundle: true, write: false, logLevel: "silent", jsx: "preserve" } as const;
  await build({ ...options, entryPoints: [path], plugins: [note] }).catch(() => undefined);
  return [...specifiers];
}
