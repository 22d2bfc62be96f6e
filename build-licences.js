// Licences of the packages whose code is in a bundle: names of the bundle's files → one text.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));

/** The name of a package, by the path of one of its files. */
export const packageOf = (id) => /.*node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(id)?.[1] ?? null;

/** Names the licence of a package that publishes no text of it: another package here has the text. */
const licenceNameIn = (folder) => `licence ${JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).license}`;

/** @param ids paths of the bundled files */
export function licencesOf(ids) {
  const packages = ids.flatMap((id) => packageOf(id) ?? []);
  const texts = [...new Set(packages)].sort().map((name) => {
    const folder = join(root, "node_modules", name);
    const file = readdirSync(folder).find((it) => /^licen[sc]e/i.test(it));
    const licence = file ? readFileSync(join(folder, file), "utf8").trim() : licenceNameIn(folder);
    return `${name}\n\n${licence}\n`;
  });
  return texts.join("\n---\n\n");
}
