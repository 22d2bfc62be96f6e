// Projects for tests of types: their declarations, and what TypeScript 5.9, 6 and 7 say of programs with them.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { projectDeclarations } from "../../../src/plugin/declarations/project-declarations.ts";
import { resolveOptions } from "../../../src/plugin/options/options.ts";
import { writeApp } from "../../support/build-app.ts";

const repository = resolve(import.meta.dirname, "../../..");
const ownTsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
const tscOf = (version: string): string => join(repository, `test/tools/node_modules/typescript-${version}/bin/tsc`);

export interface Compiler {
  readonly tsc: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Compiler options that people have in a project with a bundler, and in one for Node. */
const resolutions = {
  bundler: { module: "preserve", moduleResolution: "bundler" },
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
};
export const compilers = Object.entries({
  "TypeScript 7": ownTsc,
  "TypeScript 6": tscOf("6"),
  "TypeScript 5.9": tscOf("5"),
}).flatMap(([name, tsc]) =>
  Object.entries(resolutions).map(([resolution, options]) => {
    const missing = existsSync(tsc) ? "" : ` (not here: npm ci --prefix test/tools)`;
    return { title: `${name}, ${resolution}${missing}`, missing, compiler: { tsc, options } };
  }),
);

/** Errors of tsc for the program, in which the package is installed: "main.ts:3: TS2307: …", ordered by file. */
export function typeErrors(files: Readonly<Record<string, string>>, { tsc, options }: Compiler): string[] {
  const root = writeApp({
    "package.json": JSON.stringify({ type: "module", imports: { "#op/*?tune=wasm": "./*" } }),
    ...files,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        target: "es2023",
        types: [],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        allowImportingTsExtensions: true,
        ...options,
      },
      include: ["*.ts"],
    }),
  });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(repository, join(root, "node_modules/unplugin-kernel"), "junction");
  try {
    execFileSync(process.execPath, [tsc, "-p", root, "--pretty", "false"], { encoding: "utf8" });
    return [];
  } catch (error) {
    const { stdout } = error as { stdout: string };
    const found = [...stdout.matchAll(/^(?:.*[\\/])?([\w-]+\.ts)\((\d+),.*\): error (.*)$/gm)];
    return found
      .sort(([, a], [, b]) => (a === b ? 0 : a! < b! ? -1 : 1))
      .map(([, file, line, text]) => `${file}:${line}: ${text}`);
  }
}

/** Declarations of a project's files, as `npx unplugin-kernel types` writes them. */
export async function declarationsOf(files: Readonly<Record<string, string>>): Promise<string> {
  const root = writeApp(files);
  const { text } = await projectDeclarations(resolveOptions({ root }), join(root, "kernels.d.ts"));
  return text;
}

/** A program that imports these. */
export const importing = (...specifiers: readonly string[]): string =>
  specifiers.map((specifier, at) => `import k${at} from "${specifier}"; k${at}();\n`).join("");
