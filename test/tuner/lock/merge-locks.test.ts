// Merging of lock files by entry: what either branch did is kept, and what cannot be told is a conflict with a name.

import { describe, expect, it } from "vitest";
import { codegenVersion, targets } from "../../../src/compiler/index.ts";
import { hasConflict, kernelsInConflict, sidesOf } from "../../../src/tuner/lock/lock-conflict.ts";
import type { LockEntry } from "../../../src/tuner/lock/lock-entry.ts";
import { parseLockfile, printLockfile } from "../../../src/tuner/lock/lockfile.ts";
import { mergeLocks, printMerged } from "../../../src/tuner/lock/merge-locks.ts";
import { lockEntry } from "../store/sample-entry.ts";

const entry: LockEntry = { ...lockEntry, target: targets.avx2, codegen: codegenVersion };
const measured = (medianNs: number, machine = "one", change: Partial<LockEntry> = {}): LockEntry => ({
  ...entry,
  ...change,
  source: medianNs.toString(16).padStart(64, "0"),
  measured: { ...entry.measured!, medianNs, machine },
});
const lock = (entries: Readonly<Record<string, LockEntry>>) => new Map(Object.entries(entries));
const [a, b, c] = [measured(100), measured(200), measured(300)];
const stale = measured(1, "one", { codegen: "0" });

describe("entries that one side changed are taken", () => {
  it.each([
    ["added there", {}, { a }, { b }, { a, b }],
    ["replaced here", { a }, { a: b }, { a }, { a: b }],
    ["replaced there", { a }, { a }, { a: b }, { a: b }],
    ["dropped there", { a, b }, { a, b }, { b }, { b }],
    ["dropped here, and tuned again there", { a }, {}, { a: b }, { a: b }],
    ["added alike", {}, { a }, { a }, { a }],
  ])("%s", (_, base, ours, theirs, merged) => {
    const result = mergeLocks(lock(base), lock(ours), lock(theirs));
    expect(result).toEqual({ entries: lock(merged as Record<string, LockEntry>), conflicts: [] });
  });
});

describe("an entry that both sides changed", () => {
  it.each([
    ["is the one of this code generator", stale, c, c],
    ["is the one of this code generator, on either side", c, stale, c],
    ["is the faster of one machine", b, a, a],
    ["is the faster of one machine, on either side", a, b, a],
    ["is the one that was measured", { ...entry, measured: null }, b, b],
    ["is ours where only the measurement is another", { ...a, measured: measured(9, "two").measured }, a, null],
  ])("%s", (_, ours, theirs, kept) => {
    const { entries, conflicts } = mergeLocks(lock({ k: measured(999) }), lock({ k: ours }), lock({ k: theirs }));
    expect(entries.get("k")).toEqual(kept ?? ours);
    expect(conflicts).toEqual([]);
  });

  it.each([
    ["of two machines", a, measured(5, "two")],
    ["of two operators", a, measured(5, "one", { op: { ...entry.op, digest: "9".repeat(64) } })],
  ])("%s is a conflict", (_, ours, theirs) => {
    const merged = mergeLocks(new Map(), lock({ a: b, k: ours }), lock({ k: theirs, z: b }));
    expect(merged.conflicts).toEqual([{ kernel: "k", ours, theirs }]);
    const text = printMerged(merged, undefined);
    expect(text).toContain(`<<<<<<< ours: k: 186.2 GFLOP/s on one, code generator ${codegenVersion}\n`);
    expect(text).toContain("\n>>>>>>> theirs: k: 186.2 GFLOP/s on ");
    expect(kernelsInConflict(text)).toEqual(["k"]);
    // Each side is a whole lock, with what was decided beside the conflict.
    const { ours: mine, theirs: other } = sidesOf(text);
    expect(mine).toBe(printLockfile(lock({ a: b, k: ours, z: b })));
    expect(other).toBe(printLockfile(lock({ a: b, k: theirs, z: b })));
  });
});

it("a lock without conflict is printed as always", () => {
  const entries = lock({ a, b });
  expect(printMerged({ entries, conflicts: [] }, "./x.json")).toBe(printLockfile(entries, "./x.json"));
});

describe("a lock with the marks of a conflict", () => {
  const printed = printLockfile(lock({ "a.op.ts?tune=avx2": a, "b.op.ts?tune=avx2": b, "c.op.ts?tune=avx2": c }));
  const field = '      "numerics": "fast",';
  const at = printed.indexOf(field, printed.indexOf("b.op.ts"));
  const strict = field.replace("fast", "strict");
  const conflicting = `${printed.slice(0, at)}<<<<<<< HEAD\n${field}\n||||||| base\n${strict}\n=======\n${strict}\n>>>>>>> other\n${printed.slice(at + field.length + 1)}`;

  it("is an error that names the kernels and what to run", () => {
    const content = parseLockfile(conflicting, "/app/kernels.lock.json");
    expect(content).toMatchObject({
      kind: "broken",
      diagnostic: {
        code: "lock.broken",
        message: "kernels.lock.json cannot be read: a merge conflict is not resolved",
        loc: { line: printed.slice(0, at).split("\n").length },
        detail: "  b.op.ts?tune=avx2",
      },
    });
    expect(content.kind === "broken" && content.diagnostic.hint).toContain("npx unplugin-kernel merge-lock --resolve");
  });

  it("has the lock of each side, in lines of either kind", () => {
    for (const text of [conflicting, conflicting.replaceAll("\n", "\r\n")]) {
      expect(hasConflict(text)).toBe(true);
      const { ours, theirs, base } = sidesOf(text);
      expect(ours).toBe(printed);
      expect(theirs).toBe(`${printed.slice(0, at)}${strict}${printed.slice(at + field.length)}`);
      expect(base).toBe(theirs);
    }
    expect(hasConflict(printed)).toBe(false);
    expect(sidesOf(conflicting.replace(/\|{7}[^=]*={7}/, "=======")).base).toBeNull();
  });

  it("names no more kernels than a reader takes in", () => {
    const many = Array.from({ length: 11 }, (_, i) => `<<<<<<< a\n    "k${i}": {\n=======\n>>>>>>> b`).join("\n");
    const content = parseLockfile(`{\n${many}`, "lock");
    expect(content.kind === "broken" && content.diagnostic.detail?.split("\n")).toHaveLength(9);
    expect(content.kind === "broken" && content.diagnostic.detail).toMatch(/\n {2}and 3 more$/);
  });
});
