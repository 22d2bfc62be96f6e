// Addons that were built elsewhere, in builds without a compiler: taken under a trusted statement once they were run against the
// reference, else refused in one line, and the WASM twin runs.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, vi } from "vitest";
import type { Machine } from "../../../../src/native/machine/machine.ts";
import { detectToolchains } from "../../../../src/native/toolchain/detect.ts";
import type { KernelContext } from "../../../../src/plugin/kernel/context/kernel-context.ts";
import { signedFiles, signedFilesOfStore } from "../../../../src/plugin/kernel/signed/signed-artifact.ts";
import type { TrustOptions } from "../../../../src/plugin/options/types.ts";
import { digestOf } from "../../../../src/plugin/remote/action-result.ts";
import type { RemoteStore } from "../../../../src/plugin/remote/remote-store.ts";
import { cacheSizes } from "../../../../src/tuner/data/key.ts";
import { targetOfJson } from "../../../../src/tuner/data/target-json.ts";
import { readLockfile } from "../../../../src/tuner/lock/lockfile.ts";
import type { SharedDecision } from "../../../../src/tuner/store/exchange.ts";
import { generateSigningKey, publicLine } from "../../../../src/tuner/trust/keys.ts";
import { addonPath, type Files, statementPath } from "../../../../src/tuner/trust/signed-files.ts";
import { writeApp } from "../../../support/build-app.ts";
import { buildTunings, type CompileCase, compileIn, gemmText, machineWith } from "../../../support/compile-app.ts";
import { inTurn } from "../../../support/long.ts";
import { printedError } from "../../../support/op-file.ts";
import { nativeOf, wasmOf } from "../../../support/parts-of.ts";

const turn = inTurn(5);

const [toolchain] = await detectToolchains();
const key = generateSigningKey("ci-1");
const other = generateSigningKey("other");
const signing = { key, builder: "a test", time: "2026-11-25T00:00:00Z" };
const request = { target: "native" } as const;
const trust: TrustOptions = { keys: [publicLine(key)] };

/** Hands out the context of the kernel that a build compiles. */
function keepContext(compiler: KernelContext["toolchain"]) {
  let kept: KernelContext | null = null;
  return {
    change(context: KernelContext): Partial<KernelContext> {
      kept = context;
      return { toolchain: compiler };
    },
    context: (): KernelContext => kept!,
  };
}

/** A shared store whose only entry has these files; null: it has none. */
function storeWith(
  answer: Files | null,
  asked: () => void = () => {},
  decision = noDecision,
  ofClass: { readonly files: Files; readonly decision: SharedDecision } | null = null,
): RemoteStore {
  const files = [...(answer ?? []), ...(ofClass?.files ?? [])];
  const byHash = new Map(files.map(([, bytes]) => [digestOf(bytes).hash, new Uint8Array(bytes)]));
  const digests = (of: Files) => new Map([...of].map(([path, bytes]) => [path, digestOf(bytes)]));
  return {
    async get() {
      asked();
      return answer ? { kind: "found", decision, files: digests(answer) } : { kind: "missing", note: null };
    },
    async getOfClass() {
      if (!ofClass) return { kind: "missing", note: null };
      return { kind: "found", decision: ofClass.decision, files: digests(ofClass.files) };
    },
    blob: async ({ hash }) => ({ kind: "ok", bytes: byHash.get(hash)! }),
    put: async () => ({ kind: "off" }),
    isOff: () => false,
  };
}

/** The lock decides in most of these builds: what the shared store has decided does not count. */
const noDecision = { key: "", candidate: { template: "", assignment: {} }, source: "" } as unknown as SharedDecision;

/** An addon that a compiler makes of this text; it stands for what a signer should not have signed. */
function addonOf(text: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "planted-"));
  writeFileSync(join(folder, "a.c"), text);
  execFileSync(toolchain!.path, ["-shared", "-fPIC", "-o", join(folder, "a.node"), join(folder, "a.c")]);
  return readFileSync(join(folder, "a.node"));
}

describe.skipIf(!toolchain)("a build without a compiler, where another machine has one", () => {
  let lock = "";
  let addon: Uint8Array;
  let lockName = "";
  let files: Files;
  let replayed: Files;

  /** Compiles with what a shared store answers. */
  const build = (answer: Files | null, options: CompileCase["options"] = {}, rest: CompileCase = {}) =>
    compileIn(writeApp({ "src/gemm.op.ts": gemmText(), "kernels.lock.json": lock }), {
      request,
      options: { mode: "frozen", trust, remote: "http://127.0.0.1:1", ...options },
      change: () => ({ toolchain: async () => null }),
      tunings: { ...buildTunings(), remote: storeWith(answer) },
      ...rest,
    });

  /** Signs an addon for the kernel of the lock. */
  async function signedAs(bytes: Uint8Array, by = key): Promise<Files> {
    const content = await readLockfile(writeLock());
    const entry = content.kind === "ok" ? content.entries.get(lockName)! : null;
    const seen = keepContext(async () => null);
    await build(null, {}, { change: seen.change });
    const context = seen.context();
    const task = { ...context.task, target: entry!.target };
    const schedule = { task, candidate: entry!.candidate, source: entry!.source };
    const beside = new Map([["decision.jsonl", Buffer.from("a decision\n")]]);
    return signedFiles(
      context,
      schedule,
      { addon: bytes, toolchain: toolchain!.identity, beside },
      { ...signing, key: by },
    );
  }
  const writeLock = (): string => join(writeApp({ "kernels.lock.json": lock }), "kernels.lock.json");

  beforeAll(async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    const { kernel } = await compileIn(root, { request });
    lock = readFileSync(join(root, "kernels.lock.json"), "utf8");
    lockName = /"(src\/[^"]+)"/.exec(lock)![1]!;
    addon = nativeOf(kernel)!.bytes;
    files = await signedAs(addon);
    // The same addon, rightly signed for an operator that was changed.
    const changed = writeApp({ "src/gemm.op.ts": gemmText({ twice: true }) });
    const seen = keepContext(async () => toolchain!);
    await compileIn(changed, { request, options: { mode: "predict" }, change: seen.change });
    const context = seen.context();
    const entry = JSON.parse(lock).kernels[lockName];
    const schedule = { task: context.task, candidate: entry.candidate, source: entry.source };
    replayed = await signedFiles(context, schedule, { addon, toolchain: toolchain!.identity }, signing);
  });

  turn.each(["frozen", "tune"] as const)("takes the addon of a trusted statement, in mode %s", async (mode) => {
    const { kernel, warnings } = await build(files, { mode });
    expect(nativeOf(kernel)?.bytes).toEqual(addon);
    expect(kernel).toMatchObject({ origin: "lock", compilerRuns: 0 });
    expect(warnings).toEqual([]);
  });

  turn("takes what another machine's store gives away", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText(), "kernels.lock.json": lock });
    const seen = keepContext(async () => toolchain!);
    await compileIn(root, { request, options: { mode: "frozen" }, change: seen.change });
    const { candidate, source, target, measured } = JSON.parse(lock).kernels[lockName];
    const schedule = { task: { ...seen.context().task, target: targetOfJson(target) }, candidate, source };
    const given = await signedFilesOfStore(seen.context(), schedule, measured, new Map(), signing);
    expect([...given!.keys()].sort()).toEqual([addonPath, statementPath]);
    expect(nativeOf((await build(given)).kernel)?.bytes).toEqual(addon);
    const unknown = { ...measured, toolchain: "another" };
    expect(await signedFilesOfStore(seen.context(), schedule, unknown, new Map(), signing)).toBeNull();
  });

  turn("asks for none in other modes, and where no signer is trusted", async () => {
    let asked = 0;
    const counting = () => ({ tunings: { ...buildTunings(), remote: storeWith(files, () => (asked += 1)) } });
    await build(null, { mode: "predict" }, counting());
    await build(null, { trust: [] }, counting());
    expect(asked).toBe(0);
  });

  const changed = (change: (copy: Map<string, Uint8Array>) => void) => (): Files => {
    const copy = new Map(files);
    change(copy);
    return copy;
  };
  const cases: Readonly<Record<string, readonly [() => Files | Promise<Files>, TrustOptions, RegExp]>> = {
    "without statement": [changed((copy) => copy.delete(statementPath)), trust, /: it is not signed$/],
    "of a key that is not listed": [
      () => signedAs(addon, other),
      trust,
      /: key other is not one that option trust lists$/,
    ],
    "of a revoked key": [() => files, { ...trust, revoked: ["ci-1"] }, /: key ci-1 is revoked$/],
    "that was swapped": [
      changed((copy) => copy.set(addonPath, addonOf("int x;"))),
      trust,
      /: blobs\/addon is not the file that was signed$/,
    ],
    "with one bit changed": [
      changed((copy) =>
        copy.set(
          addonPath,
          addon.map((byte, at) => (at === 5000 ? byte ^ 1 : byte)),
        ),
      ),
      trust,
      /: blobs\/addon is not the file that was signed$/,
    ],
    "that is missing": [changed((copy) => copy.delete(addonPath)), trust, /: blobs\/addon is missing$/],
    "with another decision beside it": [
      changed((copy) => copy.set("decision.jsonl", Buffer.from("another\n"))),
      trust,
      /: decision\.jsonl is not the file that was signed$/,
    ],
    "with a file that was not signed": [
      changed((copy) => copy.set("blobs/extra", addon)),
      trust,
      /: blobs\/extra is not signed$/,
    ],
    "of another kernel": [() => replayed, trust, /: it was signed for another kernel$/],
    "that is signed, and no addon": [
      () => signedAs(Buffer.from("text")),
      trust,
      /key ci-1 signed it, but .*(invalid|short|ELF)/,
    ],
    "that is signed, and ends its process": [
      () => signedAs(addonOf("__attribute__((constructor)) static void f(void) { __builtin_trap(); }")),
      trust,
      /: key ci-1 signed it, but .*(SIGILL|SIGTRAP)/,
    ],
  };
  turn.each(Object.entries(cases))("refuses one %s, and says so in one line", async (_, [answer, trusting, why]) => {
    const { kernel, warnings } = await build(await answer(), { trust: trusting });
    expect(nativeOf(kernel)).toBeNull();
    expect(wasmOf(kernel)).not.toBeNull();
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(why);
    expect(warnings[0]).toContain(`${lockName}: an addon from elsewhere is not taken: `);
    expect(warnings[0]).not.toContain("\n");
    expect(warnings[1]).toContain("the WASM twin runs instead");
  });

  describe("in mode tune, without an entry of the lock", () => {
    /** Builds with what a shared store has decided, and says how often it was asked. */
    async function buildUnlocked(
      answer: Files | null,
      options: CompileCase["options"] = {},
      change: object = {},
      ofClass: { files: Files; decision: SharedDecision } | null = null,
      machine?: Machine,
    ) {
      const asked = vi.fn();
      const { candidate, source, measured } = JSON.parse(lock).kernels[lockName];
      const decision = { key: "", candidate, source, measured, ...change } as SharedDecision;
      const root = writeApp({ "src/gemm.op.ts": gemmText() });
      const { kernel, warnings } = await compileIn(root, {
        request,
        options: { mode: "tune", trust, remote: "http://127.0.0.1:1", ...options },
        change: () => ({ toolchain: async () => null }),
        tunings: { ...buildTunings(), remote: storeWith(answer, asked, decision, ofClass) },
        ...(machine && { machine }),
      });
      return { kernel, warnings, asked, isLocked: existsSync(join(root, "kernels.lock.json")) };
    }

    turn("takes a decision with its addon, and keeps neither", async () => {
      const { kernel, warnings, asked, isLocked } = await buildUnlocked(files);
      expect(nativeOf(kernel)?.bytes).toEqual(addon);
      expect(kernel).toMatchObject({ origin: "remote", compilerRuns: 0, measurements: 0, gflops: null });
      expect(wasmOf(kernel)).not.toBeNull();
      expect({ warnings, isLocked }).toEqual({ warnings: [], isLocked: false });
      expect(asked).toHaveBeenCalledOnce();
    });

    /** The signed entry of the lock's machine, as that of its class. */
    const ofClass = (given: Files) => {
      const { candidate, source, measured, target } = JSON.parse(lock).kernels[lockName];
      const tunedFor = { class: "0".repeat(64), ...cacheSizes(target) };
      return { files: given, decision: { key: "", candidate, source, measured, tunedFor } as SharedDecision };
    };

    turn("takes that of its class on a machine with other caches, as the compiler knows nothing of them", async () => {
      const { kernel, warnings } = await buildUnlocked(null, {}, {}, ofClass(files), machineWith(24 * 1024));
      expect(warnings).toEqual([]);
      expect(nativeOf(kernel)?.bytes).toEqual(addon);
      expect(kernel).toMatchObject({ origin: "remote", compilerRuns: 0, isForOtherCaches: true });
    });

    turn("takes that of its class where its own is refused", async () => {
      const { kernel, warnings } = await buildUnlocked(await signedAs(addon, other), {}, {}, ofClass(files));
      expect(warnings).toEqual([expect.stringMatching(/: key other is not one that option trust lists$/)]);
      expect(nativeOf(kernel)?.bytes).toEqual(addon);
    });

    turn("refuses that of its class under other caches than it was signed for", async () => {
      const { decision } = ofClass(files);
      const tunedFor = { ...decision.tunedFor!, l1Bytes: decision.tunedFor!.l1Bytes * 2 };
      const { kernel, warnings } = await buildUnlocked(null, {}, {}, { files, decision: { ...decision, tunedFor } });
      expect(warnings[0]).toMatch(/: it was signed for another kernel$/);
      expect(nativeOf(kernel)).toBeNull();
    });

    const refusals: Readonly<Record<string, readonly [() => Files | Promise<Files>, object, RegExp]>> = {
      "without statement": [changed((copy) => copy.delete(statementPath)), {}, /: it is not signed$/],
      "of a key that is not listed": [
        () => signedAs(addon, other),
        {},
        /: key other is not one that option trust lists$/,
      ],
      "of another decision than the entry's": [
        () => files,
        { source: "0".repeat(64) },
        /: it was built of another decision$/,
      ],
      "of another kernel": [() => replayed, {}, /: it was signed for another kernel$/],
      "that is signed, and no addon": [() => signedAs(Buffer.from("text")), {}, /key ci-1 signed it, but /],
    };
    turn.each(Object.entries(refusals))("refuses one %s, and says so once", async (_, [answer, change, why]) => {
      const { kernel, warnings, asked } = await buildUnlocked(await answer(), {}, change);
      expect(kernel).toMatchObject({ origin: "predicted", twins: [{ kind: "wasm" }] });
      expect(warnings).toHaveLength(2);
      expect(warnings[0]).toMatch(why);
      expect(warnings[1]).toContain("the WASM twin runs instead");
      expect(asked).toHaveBeenCalledOnce();
    });

    turn("asks for none where no signer is trusted, and takes no decision without an addon", async () => {
      expect((await buildUnlocked(files, { trust: [] })).asked).not.toHaveBeenCalled();
      const { kernel, warnings } = await buildUnlocked(new Map([["decision.jsonl", Buffer.from("a decision\n")]]));
      expect([kernel.origin, warnings.length]).toEqual(["predicted", 1]);
    });

    turn("is an error where binaries are required and none is taken", async () => {
      const required = { trust: { ...trust, require: ["binary"] } } as const;
      expect(nativeOf((await buildUnlocked(files, required)).kernel)?.bytes).toEqual(addon);
      expect(await printedError(() => buildUnlocked(null, required))).toMatch(/^trust\.refused: /);
    });
  });

  turn("refuses one that is rightly signed and computes something else", async () => {
    const twice = writeApp({ "src/gemm.op.ts": gemmText({ twice: true }) });
    const { kernel } = await compileIn(twice, { request });
    const { warnings } = await build(await signedAs(nativeOf(kernel)!.bytes));
    expect(warnings[0]).toMatch(/an addon from elsewhere is not taken: key ci-1 signed it, but .*C\[/);
  });

  turn("is an error where binaries are required, in place of the WASM twin", async () => {
    const options = { trust: { ...trust, require: ["binary"] } } as const;
    expect(nativeOf((await build(files, options)).kernel)?.bytes).toEqual(addon);
    for (const answer of [null, new Map([[addonPath, addon]])])
      expect(await printedError(() => build(answer, options))).toMatch(
        /^trust\.refused: src\/gemm\.op\.ts\?tune=[\w-]+: .*, and no signed addon may be taken/,
      );
  });
});
