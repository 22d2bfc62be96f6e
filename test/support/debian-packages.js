// Debian's packages in a folder of their own: what a test wants of them is neither installed nor mixed with the machine's.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";

const debian = process.env.DEBIAN_MIRROR ?? "http://deb.debian.org/debian";

/** Runs a program, and returns what it prints. */
function run(command, args, input) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { input, maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? stderr}`);
  return stdout;
}

async function download(path) {
  const response = await fetch(`${debian}/${path}`);
  if (!response.ok) throw new Error(`${debian}/${path}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** The packages of an index, each by its name and by what it provides. */
function packagesOf(index) {
  const [packages, provided] = [new Map(), new Map()];
  for (const stanza of index.split("\n\n")) {
    const fields = Object.fromEntries(
      stanza.split("\n").flatMap((line) => [/^([\w-]+): (.*)$/.exec(line)?.slice(1) ?? []]),
    );
    packages.set(fields.Package, fields);
    for (const name of namesIn(fields.Provides)) if (!provided.has(name)) provided.set(name, fields);
  }
  return (name) => packages.get(name) ?? provided.get(name);
}

/** Names in a list of packages, the first of alternatives. */
const namesIn = (list = "") => list.split(",").flatMap((it) => it.split("|")[0].trim().split(/[ (:]/)[0] || []);

/** Packages, and all that they depend on where it is asked for. */
function wanted(find, names, withDependencies) {
  const found = new Map();
  const open = [...names];
  while (open.length > 0) {
    const name = open.pop();
    const fields = find(name);
    if (!fields && names.includes(name)) throw new Error(`there is no package ${name}`);
    if (!fields || found.has(fields.Package)) continue;
    found.set(fields.Package, fields);
    if (withDependencies) open.push(...namesIn(fields.Depends), ...namesIn(fields["Pre-Depends"]));
  }
  return [...found.values()];
}

async function unpack({ Package: name, Filename: path, SHA256: digest }, into) {
  const bytes = await download(path);
  if (createHash("sha256").update(bytes).digest("hex") !== digest)
    throw new Error(`${path} is not what the index says`);
  const file = `${into}.${name}.deb`;
  writeFileSync(file, bytes);
  run("dpkg-deb", ["-x", file, into]);
  rmSync(file);
}

/**
 * Unpacks packages into a folder, if it is not there. It appears when all of it has come.
 *
 * @param {{ folder: string, suite: string, area?: string, packages: readonly string[], withDependencies?: boolean }} wishes
 *   `area`: main, non-free
 */
export async function unpackDebian({ folder, suite, area = "main", packages, withDependencies = false }) {
  if (existsSync(folder)) return;
  const index = run("xz", ["-dc"], await download(`dists/${suite}/${area}/binary-amd64/Packages.xz`)).toString("utf8");
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  await Promise.all(wanted(packagesOf(index), packages, withDependencies).map((it) => unpack(it, unfinished)));
  // Links to what other packages have.
  run("find", [unfinished, "-xtype", "l", "-delete"]);
  renameSync(unfinished, folder);
}
