// The files of koffi, for a folder that is carried to a machine which has none: the package, and the machine code that it has for systems.

import { existsSync, readdirSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Folders of koffi and of its parts for the systems that are installed here, by name; none: there is no koffi here. */
export function koffiPackages(): ReadonlyMap<string, string> {
  const found = entryOf("koffi");
  if (found === null) return new Map();
  const koffi = dirname(realpathSync(found));
  const scope = join(dirname(koffi), "@koromix");
  const parts = existsSync(scope) ? readdirSync(scope).filter((name) => name.startsWith("koffi-")) : [];
  return new Map([["koffi", koffi], ...parts.map((name) => [`@koromix/${name}`, join(scope, name)] as const)]);
}

function entryOf(name: string): string | null {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return null;
  }
}
