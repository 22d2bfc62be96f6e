// A script → the modules that it imports, as written. esbuild parses it, TypeScript and JSX too, and resolves nothing.

import { extname } from "node:path";
import type { BuildOptions, Loader } from "esbuild";

/** JSX is written in plain scripts, too. In TypeScript it changes what `<T>` means. */
const loaderOf = (path: string): Loader => {
  const extension = extname(path);
  if (extension === ".tsx") return "tsx";
  return /^\.[cm]?ts$/.test(extension) ? "ts" : "jsx";
};

// Whatever the project's settings are: an import counts before something uses it, and one of types alone does not.
const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };

/** Specifiers that a script imports; none for one that does not parse: its build reports that. */
export async function importsOfScript(path: string, text: string): Promise<readonly string[]> {
  const { build } = await import("esbuild");
  const options: BuildOptions = {
    stdin: { contents: text, loader: loaderOf(path), sourcefile: path },
    bundle: true,
    external: ["*"],
    format: "esm",
    jsx: "preserve",
    tsconfigRaw,
    write: false,
    logLevel: "silent",
  };
  const built = await build({ ...options, metafile: true }).catch(() => null);
  const files = Object.values(built?.metafile.inputs ?? {});
  return [...new Set(files.flatMap(({ imports }) => imports.map((one) => one.path)))];
}
