// Takes out every part that there is, one at a time, and writes down which test noticed. Started by removal.js.

import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { intrinsics } from "../../../src/compiler/intrinsic/intrinsics.ts";
import { hintedPasses } from "../../../src/compiler/lower/pipeline.ts";
import { primitives } from "../../../src/compiler/schedule/primitive/index.ts";
import { defaultAlgorithms } from "../../../src/tuner/space/algorithm/index.ts";
import { defaultRules } from "../../../src/tuner/space/rule/index.ts";
import { sourceFiles } from "../../support/source-files.ts";
import type { Part, PartKind } from "./part.ts";
import { firstToNotice } from "./run-without.ts";

interface Finished extends Part {
  /** Digest of the sources and tests with which it was found. */
  readonly digest: string;
  readonly noticedBy: string | null;
}

const namesOf: Readonly<Record<PartKind, readonly string[]>> = {
  pass: hintedPasses.map(({ name }) => name),
  rule: defaultRules.map(({ name }) => name),
  algorithm: defaultAlgorithms.flatMap(({ name }) => name ?? []),
  primitive: Object.keys(primitives),
  intrinsic: intrinsics.map(({ name }) => name),
};

const parts = Object.entries(namesOf).flatMap(([kind, names]) =>
  names.map((name): Part => ({ kind: kind as PartKind, name })),
);

const file = join(import.meta.dirname, "../../../dist/test/removal.jsonl");
const { REMOVAL_ONLY: only, REMOVAL_FRESH: fresh } = process.env;

const digest = createHash("sha256")
  .update(
    ["src", "test"]
      .flatMap((folder) => sourceFiles(folder))
      .flatMap(({ path, lines }) => [path, ...lines])
      .join("\n"),
  )
  .digest("hex");

const readFinished = (): readonly Finished[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Finished)
    : [];

test("each part is missed by some test", { timeout: 6 * 3_600_000 }, () => {
  mkdirSync(dirname(file), { recursive: true });
  const finished = fresh ? [] : readFinished().filter((it) => it.digest === digest);
  const wanted = parts.filter(({ name }) => !only || name === only);
  const unnoticed: string[] = [];
  for (const part of wanted) {
    const known = finished.find(({ kind, name }) => kind === part.kind && name === part.name);
    const noticedBy = known ? known.noticedBy : firstToNotice(part);
    if (!known) appendFileSync(file, `${JSON.stringify({ ...part, digest, noticedBy } satisfies Finished)}\n`);
    console.log(`${part.kind} ${part.name}: ${noticedBy ?? "NOBODY NOTICES"}`);
    if (noticedBy === null) unnoticed.push(`${part.kind} ${part.name}`);
  }
  expect(unnoticed).toEqual([]);
});
