// What the package costs those who install it: its own size, that of all it drags in, package by package, and the time.
//
//     npm run bench:install

import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { textTable } from "../../src/tuner/report/text-table.ts";
import { installPacked, packPackage } from "../support/packed-package.ts";

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function bytesOf(path: string): number {
  const facts = lstatSync(path);
  if (!facts.isDirectory()) return facts.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

/** Folders of packages, scoped ones too. */
const packagesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(folder, name)).map((own) => `${name}/${own}`) : [name],
    );

const packed = packPackage();
const begin = performance.now();
const root = installPacked(packed);
const seconds = (performance.now() - begin) / 1000;
const modules = join(root, "node_modules");
const sizes = packagesIn(modules)
  .filter((name) => existsSync(join(modules, name, "package.json")))
  .map((name) => ({ name, bytes: bytesOf(join(modules, name)) }))
  .sort((a, b) => b.bytes - a.bytes);

console.log(
  `the package: ${megabytes(packed.packedBytes)} packed, ${megabytes(packed.unpackedBytes)} in ${packed.files.length} files`,
);
console.log(
  `installed: ${megabytes(bytesOf(modules))} in ${sizes.length} packages, in ${seconds.toFixed(1)} s (npm's cache as it was)`,
);
const shown = sizes.filter(({ bytes }) => bytes > 300_000);
console.log(
  textTable(
    ["package", "size"],
    shown.map(({ name, bytes }) => [name, megabytes(bytes)]),
  ),
);
