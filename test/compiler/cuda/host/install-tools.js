// Installs NVIDIA's compiler and disassembler of Debian's non-free packages into out/cuda-tools, without the packages that they depend on: a
// GPU is not needed. Prints the folder.
//
//     node test/compiler/cuda/host/install-tools.js

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../../../out/cuda-tools", import.meta.url));
const debian = process.env.DEBIAN_MIRROR ?? "http://deb.debian.org/debian";
const suite = "trixie";
/** The compiler as a library, what it is built in of, ptxas, cuobjdump and nvdisasm, and the driver's library, which finds no device. */
const packages = ["libnvrtc12", "libnvrtc-builtins12.4", "nvidia-cuda-toolkit", "libcuda1"];

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

function fieldsOf(index, name) {
  const stanza = index.split("\n\n").find((it) => it.startsWith(`Package: ${name}\n`));
  if (!stanza) throw new Error(`${suite} has no package ${name}`);
  return Object.fromEntries(stanza.split("\n").flatMap((line) => [/^(\w+): (.*)$/.exec(line)?.slice(1) ?? []]));
}

async function unpack(index, name, into) {
  const { Filename: path, SHA256: digest } = fieldsOf(index, name);
  const bytes = await download(path);
  if (createHash("sha256").update(bytes).digest("hex") !== digest)
    throw new Error(`${path} is not what the index says`);
  const file = `${into}.${name}.deb`;
  writeFileSync(file, bytes);
  run("dpkg-deb", ["-x", file, into]);
  rmSync(file);
}

if (!existsSync(folder)) {
  const index = run("xz", ["-dc"], await download(`dists/${suite}/non-free/binary-amd64/Packages.xz`)).toString("utf8");
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  await Promise.all(packages.map((name) => unpack(index, name, unfinished)));
  // Links to what other packages have.
  run("find", [unfinished, "-xtype", "l", "-delete"]);
  renameSync(unfinished, folder);
}
console.log(folder);
