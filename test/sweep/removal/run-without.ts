// A part of the compiler → the first test that fails without it, or null. A file that cannot even be loaded is no test
// that fails: what is missing has to be noticed by what the compiler does.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { groupsFor, type Part } from "./part.ts";

const root = join(import.meta.dirname, "../../..");
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

export function firstToNotice(part: Part): string | null {
  for (const filters of groupsFor(part)) {
    const noticed = firstFailure(runWithout(part, filters));
    if (noticed !== null) return noticed;
  }
  return null;
}

function firstFailure({ testResults }: Report): string | null {
  const failed = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName }) => `${relative(root, name)}: ${fullName}`),
  );
  return failed[0] ?? null;
}

function runWithout(part: Part, filters: readonly string[]): Report {
  const folder = mkdtempSync(join(tmpdir(), "removal-"));
  const file = join(folder, "report.json");
  const config = ["--config", "test/sweep/removal/without.config.ts", "--root", root];
  try {
    spawnSync(process.execPath, [vitest, "run", ...config, "--reporter=json", `--outputFile=${file}`, ...filters], {
      cwd: root,
      stdio: "ignore",
      env: { ...process.env, TEST_LONG: "1", REMOVED: JSON.stringify(part) },
    });
    return JSON.parse(readFileSync(file, "utf8")) as Report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
