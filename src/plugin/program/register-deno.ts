// Mends Deno's loader, beside the hooks that it shares with Node.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Load, RegisterHooks } from "./register-imports.ts";

/** The first that was tried with success. The hooks of 2.8.0 wait forever, those before load nothing. */
const oldest = [2, 8, 3] as const;

/** @throws Error: this version has no hooks that work */
export function checkVersion(version: string): void {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10));
  const at = oldest.findIndex((part, index) => parts[index] !== part);
  if (at < 0 || parts[at]! > oldest[at]!) return;
  throw new Error(`unplugin-kernel/register needs Deno ${oldest.join(".")} or newer, and this is ${version}`);
}

type Loaded = { readonly format: string; readonly source: string; readonly shortCircuit: true };

const formats: Readonly<Record<string, (url: string) => Loaded>> = {
  json: (url) => ({ format: "json", source: readFileSync(fileURLToPath(url), "utf8"), shortCircuit: true }),
  node: () => ({ format: "commonjs", source: "process.dlopen(module, __filename);", shortCircuit: true }),
};

const load: Load = (url, context, next) => {
  const read = context.conditions?.includes("require") && formats[url.split(".").at(-1)!];
  return read ? read(url) : next(url, context);
};

/**
 * Lets `require` read JSON and addons: Deno 2.9 takes them for scripts as soon as there is a hook that loads
 * (https://github.com/denoland/deno/issues/36240).
 */
export const mendRequire = (registerHooks: RegisterHooks): unknown => registerHooks({ load });
