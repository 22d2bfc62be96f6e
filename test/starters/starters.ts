// Projects as their starters make them, wired by `init` as the README says, from the package as npm would get it: installed, tuned, checked,
// built, and asked for the right numbers. A row that fails does not keep the others from being tried.
//
//     npm run test:starters                          all; needs npm's registry and half an hour
//     npm run test:starters -- nuxt vite-react-ts    some of them
//     npm run test:starters -- --quick               those that take a minute together, for CI
//     npm run test:starters -- --package <file.tgz>  of a package that was packed before

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { install } from "../node-versions/install.js";
import { openProject } from "./project.ts";
import { type Result, record } from "./record.ts";
import type { Row } from "./row.ts";
import { rows } from "./rows/all.ts";
import { tryRow } from "./try-row.ts";

const quick = ["vite-vanilla-ts", "esbuild"];

function chosen(names: readonly string[]): readonly Row[] {
  const unknown = names.filter((name) => !rows.some((row) => row.name === name));
  if (unknown.length > 0) {
    console.error(`no starter is called ${unknown.join(", ")}: there are ${rows.map(({ name }) => name).join(", ")}`);
    process.exit(2);
  }
  return names.length === 0 ? rows : rows.filter(({ name }) => names.includes(name));
}

/** The package as `npm publish` would send it. */
function pack(folder: string): string {
  // Its types are for the checks; everything else was built just now.
  if (!existsSync("dist/types")) spawnSync(process.execPath, ["build.js"], { stdio: "inherit" });
  const args = ["pack", "--ignore-scripts", "--loglevel", "warn", "--pack-destination", folder];
  const { status, stderr, error } = spawnSync("npm", args, { encoding: "utf8" });
  if (status !== 0) throw error ?? new Error(`npm pack ended with ${status}: ${stderr}`);
  return join(folder, `unplugin-kernel-${JSON.parse(readFileSync("package.json", "utf8")).version}.tgz`);
}

/** The folder of another version's executable; null: that which runs this. */
function nodeFolder(version: string | undefined): string | null {
  if (version === undefined) return null;
  const { path, reason } = install(version, join("out", `node-${version}`));
  if (path === undefined) throw new Error(`Node ${version}: ${reason}`);
  return dirname(join(process.cwd(), path));
}

async function resultOf(row: Row, tarball: string, folder: string): Promise<Result> {
  const app = join(folder, row.name, "app");
  mkdirSync(app, { recursive: true });
  try {
    return await tryRow(row, openProject(app, nodeFolder(row.node)), tarball);
  } finally {
    rmSync(app, { recursive: true, force: true });
  }
}

const lineOf = ({ name, seconds, steps, types, build, answer }: Result): string => {
  const times = Object.entries(seconds).map(([step, time]) => `${step} ${time} s`);
  return `${name}: types ${types}, build ${build}, answer ${answer}; ${steps} commands: ${times.join(", ")}`;
};

const options = { quick: { type: "boolean", default: false }, package: { type: "string" } } as const;
const { values, positionals: given } = parseArgs({ options, allowPositionals: true });
const wanted = chosen(values.quick ? quick : given);
const folder = mkdtempSync(join(tmpdir(), "starters-"));
const results: Result[] = [];
try {
  const tarball = values.package === undefined ? pack(folder) : resolve(values.package);
  for (const row of wanted) {
    const result = await resultOf(row, tarball, folder);
    results.push(result);
    console.log(lineOf(result));
    if (result.failure === null) continue;
    console.error(`${row.name}: ${result.failure}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
// A run of a few is a look, and no record.
if (given.length === 0 && !values.quick) record(results);
