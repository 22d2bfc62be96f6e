// Cost of installing the package into an empty project of a host: megabytes and packages that come in addition,
// packages that are there twice, and install scripts, which npm tells users about.
//
//     npm run bench:install
//
// Leaves a line a host in test/bench/install.jsonl, and fails where the Vite project grows by more than the bar. The front page has a
// figure of it, so that it wants a tree without uncommitted changes.

import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textTable } from "../../src/tuner/report/text-table.ts";
import { packPackage } from "../support/packed-package.ts";
import { appendLine } from "./json-lines.ts";
import { demandCommitted } from "./provenance.ts";

/** Megabytes that an empty Vite project may grow by. */
const mostMegabytes = 55;

/** Packages that the project has before, as starters write them. */
const hosts = {
  none: {},
  "vite 8": { vite: "^8.3.0" },
  "vite 7": { vite: "^7.3.0" },
  "vite 6": { vite: "^6.4.0" },
  tsup: { tsup: "^8.5.0" },
} as const;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** A file with two names, as esbuild's program has, is on the disk once. */
function bytesOf(path: string, seen = new Set<number>()): number {
  const facts = lstatSync(path);
  if (facts.isDirectory()) return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name), seen), 0);
  if (facts.nlink > 1 && seen.has(facts.ino)) return 0;
  seen.add(facts.ino);
  return facts.size;
}

interface Installed {
  readonly name: string;
  readonly folder: string;
  readonly bytes: number;
}

/** Folders of packages with their bytes, scoped ones and those inside of others too. */
function packagesIn(modules: string): readonly Installed[] {
  if (!existsSync(modules)) return [];
  const names = readdirSync(modules)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(modules, name)).map((own) => `${name}/${own}`) : [name],
    );
  return names.flatMap((name) => {
    const folder = join(modules, name);
    const inside = join(folder, "node_modules");
    const nested = existsSync(inside) ? bytesOf(inside) : 0;
    return [{ name, folder, bytes: bytesOf(folder) - nested }, ...packagesIn(inside)];
  });
}

const hasScript = ({ folder }: Installed): boolean => {
  const { scripts = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return ["preinstall", "install", "postinstall"].some((name) => name in scripts);
};

const install = (root: string, ...packages: readonly string[]): string =>
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--save-dev", ...packages], {
    cwd: root,
    encoding: "utf8",
    stdio: "pipe",
  });

demandCommitted();
const packed = packPackage();
console.log(
  `the package: ${megabytes(packed.packedBytes)} packed, ${megabytes(packed.unpackedBytes)} in ${packed.files.length} files`,
);

function measure([host, devDependencies]: readonly [string, object]) {
  const root = mkdtempSync(join(tmpdir(), "installed-"));
  writeFileSync(join(root, "package.json"), JSON.stringify({ private: true, type: "module", devDependencies }));
  install(root);
  const modules = join(root, "node_modules");
  const before = new Set(packagesIn(modules).map(({ folder }) => folder));
  const bytesBefore = before.size === 0 ? 0 : bytesOf(modules);
  install(root, packed.file);
  const all = packagesIn(modules);
  const added = all.filter(({ folder }) => !before.has(folder));
  const names = all.map(({ name }) => name);
  return {
    host,
    bytes: bytesOf(modules) - bytesBefore,
    packages: added.length,
    twice: [...new Set(added.map(({ name }) => name))].filter(
      (name) => names.indexOf(name) !== names.lastIndexOf(name),
    ),
    scripts: added.filter(hasScript).map(({ name }) => name),
    largest: added
      .toSorted((a, b) => b.bytes - a.bytes)
      .slice(0, 8)
      .map(({ name, bytes }) => `${name} ${megabytes(bytes)}`),
  };
}

const measured = Object.entries(hosts).map(measure);
const record = "test/bench/install.jsonl";
for (const one of measured) appendLine(record, { packed: packed.packedBytes, ...one });
console.log(
  textTable(
    ["into", "adds", "packages", "there twice", "install scripts"],
    measured.map(({ host, bytes, packages, twice, scripts }) => [
      host,
      megabytes(bytes),
      String(packages),
      twice.join(" ") || "–",
      scripts.join(" ") || "–",
    ]),
  ),
);
console.log(`largest: ${measured[1]!.largest.join(", ")}`);
if (measured[1]!.bytes > mostMegabytes * 1e6) {
  console.error(`more than ${mostMegabytes} MB`);
  process.exitCode = 1;
}
