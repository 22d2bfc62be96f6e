// Provenance of every measured row: date, commit and code, tools, machine.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { codegenVersion } from "../../src/compiler/index.ts";
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
  /** "gcc (Debian 12.2.0-14+deb12u1) 12.2.0"; null: there is no C compiler. */
  readonly compiler: string | null;
}

const source = join(import.meta.dirname, "../../src");

/** Twelve hex digits over the paths and texts of all files. */
export function codeDigest(folders: readonly string[] = ["compiler", "tuner", "native"]): string {
  const hash = createHash("sha256");
  for (const folder of folders) {
    const files = readdirSync(join(source, folder), { recursive: true, withFileTypes: true });
    const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    for (const path of paths.sort()) hash.update(path.slice(source.length)).update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 12);
}

function compilerVersion(): string | null {
  for (const command of ["gcc", "clang"]) {
    try {
      return execFileSync(command, ["--version"], { encoding: "utf8" }).split("\n")[0]!;
    } catch {}
  }
  return null;
}

const describe = (): Omit<Provenance, "date"> => ({
  commit: codeCommit(),
  codegen: codegenVersion,
  code: codeDigest(),
  cpu: cpuName(),
  host: hostname(),
  node: process.version,
  compiler: compilerVersion(),
});
let described: ReturnType<typeof describe> | null = null;

export function provenance(): Provenance {
  described ??= describe();
  return { date: new Date().toISOString(), ...described };
}

/** A row that may have been written before rows said where they come from. */
export interface Measured {
  readonly measured?: Provenance;
}

/**
 * Age of a page's rows in words, against the code of today.
 *
 * @param today version of the code generator
 */
export function ageText(rows: readonly Measured[], today: string = codegenVersion): string {
  const known = rows.flatMap(({ measured }) => measured ?? []);
  const days = known.map(({ date }) => date.slice(0, 10)).sort();
  const when = days.length === 0 ? "" : `Measured from ${days[0]} to ${days.at(-1)}. `;
  const older = known.filter(({ codegen }) => codegen !== today).length;
  const of = `of ${rows.length} rows`;
  const parts = [
    ...(older > 0 ? [`${older} ${of} are of an older code generator than today's, which is ${today}`] : []),
    ...(known.length < rows.length
      ? [
          `${rows.length - known.length} ${of} were measured before rows had a date: in November 2026, by code generators 12 to 18`,
        ]
      : []),
  ];
  return `${when}${parts.length === 0 ? `All are of today's code generator, ${today}` : parts.join("; ")}.`;
}
