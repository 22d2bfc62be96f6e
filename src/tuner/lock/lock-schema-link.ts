// The JSON schema that the package brings for its lock file → the relative path by which a lock names it, so that editors
// find it beside the project's other packages.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Name of the schema in the package. */
const schemaFile = "kernels.lock.schema.json";
const inPackage = ["node_modules", "unplugin-kernel", schemaFile] as const;

/**
 * Returns the path of the schema, from the folder of a lock: in a workspace the package may be installed above the project.
 * Undefined: no folder has it, as with Plug'n'Play.
 *
 * @example schemaLink("/app/kernels.lock.json") // "./node_modules/unplugin-kernel/kernels.lock.schema.json"
 */
export function schemaLink(lockfile: string): string | undefined {
  let steps = "./";
  for (let folder = dirname(lockfile); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ...inPackage))) return steps + inPackage.join("/");
    if (dirname(folder) === folder) return undefined;
    steps = steps === "./" ? "../" : `${steps}../`;
  }
}
