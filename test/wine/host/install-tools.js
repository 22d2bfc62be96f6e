// Installs what a project on Windows has beside this package, into out/windows-tools: its dependencies, esbuild and Vite in our versions, with the
// executables of Windows. Prints the folder.
//
//     node test/wine/host/install-tools.js

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = `${root}out/windows-tools`;
const ours = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const versionHere = (name) => JSON.parse(readFileSync(`${root}node_modules/${name}/package.json`, "utf8")).version;

const dependencies = { ...ours.dependencies };
for (const name of ["esbuild", "vite"]) dependencies[name] = versionHere(name);
mkdirSync(folder, { recursive: true });
writeFileSync(
  `${folder}/package.json`,
  JSON.stringify({ name: "windows-tools", private: true, dependencies }, null, 2),
);
const system = ["--os=win32", "--cpu=x64"];
const args = ["install", ...system, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit" });
if (status === 0) console.log(folder);
else process.exitCode = 1;
