// Provenance of every measured row: date, commit and code, tools, machine.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { codegenVersion } from "../../src/compiler/index.ts";
import { compilers } from "../../src/native/toolchain/compilers.ts";
import { wantedFamilies } from "../../src/native/toolchain/detect.ts";
import { platformHere } from "../../src/native/toolchain/platform.ts";
import type { Installation, SearchPlaces } from "../../src/native/toolchain/toolchain.ts";
import { codeCommit } from "../support/code-commit.js";
import { cpuName } from "./cpu-name.ts";

export interface Provenance {
  /** ISO 8601, UTC. */
  readonly date: string;
  readonly commit: string;
  /** Version of the code generator. */
  readonly codegen: string;
  /** Digest of src/compiler, src/tuner and src/native: rows with the same one are of the same kernels and searches. */
  readonly code: string;
  readonly cpu: string;
  readonly host: string;
  readonly node: string;
  /** Compiler that C kernels are built with, "gcc (Debian 12.2.0-14+deb12u1) 12.2.0"; null: there is none. */
  readonly compiler: string | null;
}

const source = join(import.meta.dirname, "../../src");

const codeFolders = ["compiler", "tuner", "native"] as const;
let ownDigest: string | null = null;

/** Digest of the code that this process was started with. */
export function codeDigest(): string {
  ownDigest ??= digestOfFolders(codeFolders);
  return ownDigest;
}

/** Twelve hex digits over the paths and texts of all files. */
export function digestOfFolders(folders: readonly string[]): string {
  const hash = createHash("sha256");
  for (const folder of folders) {
    const files = readdirSync(join(source, folder), { recursive: true, withFileTypes: true });
    const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    for (const path of paths.sort()) hash.update(path.slice(source.length)).update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 12);
}

/** Looks where `detectToolchains` looks, and in its order: the first compiler that works is the one that tunings use. */
export function compilerVersion(
  places: SearchPlaces = { path: process.env.PATH ?? "", project: process.cwd(), platform: platformHere },
): string | null {
  for (const family of wantedFamilies()) {
    const { locate, aboutOption, parseVersion } = compilers[family];
    const place = locate(places);
    const about = place && firstLineOf(place, aboutOption);
    if (about && parseVersion(about)) return about.includes(family) ? about : `${family} ${about}`;
  }
  return null;
}

function firstLineOf({ path, environment }: Installation, option: string): string | null {
  const env = { ...process.env, ...environment, LC_ALL: "C" };
  try {
    return execFileSync(path, [option], { encoding: "utf8", env, stdio: ["ignore", "pipe", "ignore"] }).split("\n")[0]!;
  } catch {
    return null;
  }
}

/** Records, pages and plots change nothing that is measured: the second row of a bench is of the same commit as the first. */
const measuredFiles = [":/", ...["*.jsonl", "*.md", "*.svg"].map((pattern) => `:(top,exclude)${pattern}`)];

const dirtyMark = "-dirty";

const describe = (): Omit<Provenance, "date"> => ({
  commit: codeCommit(...measuredFiles),
  codegen: codegenVersion,
  code: codeDigest(),
  cpu: cpuName(),
  host: hostname(),
  node: process.version,
  compiler: compilerVersion(),
});
let described: ReturnType<typeof describe> | null = null;

/** The same for all rows of a process: a bench runs the code that it was started with. */
export function provenance(): Provenance {
  described ??= describe();
  return { date: new Date().toISOString(), ...described };
}

/** Whether a row was measured on a tree with uncommitted changes. */
export const isDirty = ({ commit }: Pick<Provenance, "commit">): boolean => commit.endsWith(dirtyMark);

/**
 * Refuses to measure rows of the front page where there are uncommitted changes: nobody could check out what was measured.
 *
 * @throws Error
 */
export function demandCommitted(commit: string = provenance().commit): void {
  if (!isDirty({ commit })) return;
  throw new Error(
    "there are uncommitted changes: rows of the front page are measured on a commit that can be checked out. Commit or stash them first",
  );
}

/** A row that may have been written before rows said where they come from. */
export interface Measured {
  readonly measured?: Provenance;
}

/** Code that rows are held against. */
export type Code = Pick<Provenance, "codegen" | "code">;

/** Whether a row is of today's code generator. One of an older generator does not count as done. */
export const isOfToday = ({ measured }: Measured): boolean => measured?.codegen === codegenVersion;

/** Age of a page's rows in words, against the code of today. */
export function ageText(
  rows: readonly Measured[],
  today: Code = { codegen: codegenVersion, code: codeDigest() },
): string {
  const known = rows.flatMap(({ measured }) => measured ?? []);
  const days = known.map(({ date }) => date.slice(0, 10)).sort();
  const when = days.length === 0 ? "" : `Measured from ${days[0]} to ${days.at(-1)}. `;
  const isOlder = ({ codegen }: Provenance): boolean => codegen !== today.codegen;
  const said = (count: number, text: string): readonly string[] =>
    count > 0 ? [`${count} of ${rows.length} rows ${text}`] : [];
  const parts = [
    ...said(known.filter(isOlder).length, `are of an older code generator than today's, which is ${today.codegen}`),
    ...said(
      known.filter((row) => !isOlder(row) && row.code !== today.code).length,
      `are of today's code generator, ${today.codegen}, but of another state of src/compiler, src/tuner or src/native`,
    ),
    ...said(
      rows.length - known.length,
      "were measured before rows had a date: in November 2026, by code generators 12 to 18",
    ),
  ];
  const dirty = said(known.filter(isDirty).length, "were measured on a tree with uncommitted changes");
  const age = parts.length === 0 ? `All are of today's code generator, ${today.codegen}` : parts.join("; ");
  return `${when}${[age, ...dirty].join("; ")}.`;
}
