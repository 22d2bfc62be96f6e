// Decisions from outside under option trust: who signed them is said, and where signatures are required nothing else is taken, of a
// remote store, a pack or another user's store, in mode tune as well.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { sha256 } from "../../../src/compiler/index.ts";
import { resolveRemote } from "../../../src/plugin/options/remote-options.ts";
import { type ResolvedTrust, resolveTrust } from "../../../src/plugin/options/trust-option.ts";
import type { KernelPluginOptions, TrustOptions } from "../../../src/plugin/options/types.ts";
import { digestOf, printActionResult } from "../../../src/plugin/remote/action-result.ts";
import { outsideFileOf, signatureFiles } from "../../../src/plugin/remote/remote-signature.ts";
import { decisionPath, openRemote } from "../../../src/plugin/remote/remote-store.ts";
import { type OutsideFile, vouched } from "../../../src/plugin/trust/outside-decision.ts";
import { outsideFile } from "../../../src/plugin/trust/signed-file.ts";
import { printExchange, type SharedDecision } from "../../../src/tuner/store/exchange.ts";
import { storedDecisions, storedItems } from "../../../src/tuner/store/store-contents.ts";
import { type ScheduleEntry, storeSchema } from "../../../src/tuner/store/store-entry.ts";
import { generateSigningKey, privateLine, publicLine } from "../../../src/tuner/trust/keys.ts";
import { signStatement } from "../../../src/tuner/trust/sign.ts";
import { decisionsStatement, signatureOf, signDecision } from "../../../src/tuner/trust/signed-decisions.ts";
import { payloadType, statementBytes } from "../../../src/tuner/trust/statement.ts";
import { writeApp } from "../../support/build-app.ts";
import { type CompileCase, compileIn, gemmText, machineWith } from "../../support/compile-app.ts";
import { inTurn } from "../../support/long.ts";
import { type Double, startDouble } from "../../support/remote/double.ts";
import { makeInstance } from "../../support/sigstore/instance.ts";
import { writePack } from "../../support/write-pack.ts";
import { kernelStatement } from "../../tuner/trust/sample-statement.ts";

const turn = inTurn(7);

const key = generateSigningKey("ci-1");
const other = generateSigningKey("other");
const time = "2026-11-25T00:00:00Z";
const trusting = (option: TrustOptions): ResolvedTrust => resolveTrust(option, (path) => path);
const listed: TrustOptions = { keys: [publicLine(key)] };
const required: TrustOptions = { ...listed, require: ["decision"] };

describe("a file of decisions", () => {
  const digest = sha256("decisions\n");
  const file = (bundle: string | null): OutsideFile => ({
    digest,
    signature: () => (bundle === null ? { why: "it is not signed" } : { bundle }),
  });
  const signed = (by = key, of = digest): Promise<string> => signDecision(of, by, time);
  const refused = (why: string) => ({ kind: "refused", why: `option trust wants it signed, and ${why}` });
  const taken = (signer: string | null, note: string | null = null) => ({
    ...{ kind: "taken", signer, note },
    ...(signer !== null && { bundle: expect.any(String) }),
  });

  it.each<[string, () => string | null | Promise<string>, string]>([
    ["without signature", () => null, "it is not signed"],
    ["of a key that is not listed", () => signed(other), "key other is not one that option trust lists"],
    ["of another key under a listed name", () => signed({ ...other, id: "ci-1" }), "it was not signed by key ci-1"],
    ["of another file", () => signed(key, sha256("others")), "it is not the file that key ci-1 signed"],
    ["of a kernel's files", () => signStatement(kernelStatement, key), "what key ci-1 signed is no file of decisions"],
    ["with text in its place", () => "text", "its signature has another form"],
    ["with nothing in its place", () => "", "its signature has another form"],
  ])("%s is refused where signatures are required, and has no signer where not", async (_, make, why) => {
    const bundle = await make();
    expect(await vouched(trusting(required), file(bundle))).toEqual({
      kind: "refused",
      why: expect.stringContaining(`option trust wants it signed, and ${why}`),
    });
    expect(await vouched(trusting(listed), file(bundle))).toEqual(
      taken(null, bundle === null ? null : expect.stringContaining(`not taken as signed: ${why}`)),
    );
  });

  it("counts under a listed key, and is not counted once that is revoked", async () => {
    const bundle = await signed();
    expect(await vouched(trusting(required), file(bundle))).toEqual(taken("key ci-1"));
    expect(await vouched(trusting(listed), file(bundle))).toEqual(taken("key ci-1"));
    const revoked = { ...required, revoked: ["ci-1"] };
    expect(await vouched(trusting(revoked), file(bundle))).toEqual(refused("key ci-1 is revoked"));
    const nobody = { require: ["decision"] } as const;
    expect(await vouched(trusting(nobody), file(bundle))).toMatchObject({ kind: "refused" });
  });

  it("counts under an identity of the trusted root that the project commits, of a Sigstore of its own as well", async () => {
    const [ours, theirs] = [makeInstance(), makeInstance()];
    const signer = { identity: "https://git.example/app@refs/heads/main", issuer: "https://token.git.example" };
    const root = writeApp({
      "ours.json": JSON.stringify(ours.trustedRoot),
      "theirs.json": JSON.stringify(theirs.trustedRoot),
    });
    const under = (trustedRoot: string): ResolvedTrust =>
      resolveTrust({ identities: [signer], trustedRoot, require: ["decision"] }, (path) => join(root, path));
    const statement = decisionsStatement(digest, { decisions: 1, builder: "keyless", time });
    const signedFile = file(JSON.stringify(ours.attest(statementBytes(statement), payloadType, signer)));
    expect(await vouched(under("ours.json"), signedFile)).toEqual(taken(signer.identity));
    expect(await vouched(under("theirs.json"), signedFile)).toMatchObject({ kind: "refused" });
    await expect(vouched(under("missing.json"), signedFile)).rejects.toThrow("trust.bad-key");
  });

  it("has its signature read only where that matters", async () => {
    const signature = vi.fn(() => ({ why: "it is not signed" }));
    expect(await vouched(trusting({}), { digest, signature })).toEqual(taken(null));
    expect(signature).not.toHaveBeenCalled();
    await vouched(trusting({ require: ["decision"] }), { digest, signature });
    expect(signature).toHaveBeenCalledOnce();
  });
});

const lockName = "src/gemm.op.ts?tune=wasm";
const why = "option trust wants it signed, and it is not signed";
const unsignedEntry = (place: string): string =>
  `${lockName}: the decision is from ${place}, so its entry of the lock is not signed: no signature from elsewhere covers it, and unplugin-kernel cache sign --lock makes one`;

describe("a build in mode tune", () => {
  let server: Double;
  let decision: SharedDecision;
  beforeAll(async () => {
    server = await startDouble();
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    await compileIn(root);
    decision = (await storedDecisions(`${root}/store`))[0]!;
  });
  afterAll(() => server.close());
  beforeEach(() => server.files.clear());

  /** Lays an entry into the server: the decision and its signature, if it has one. */
  async function offer(by: typeof key | null, offered = decision, name = offered.key): Promise<void> {
    const files = new Map<string, Uint8Array>([[decisionPath, Buffer.from(printExchange([offered]))]]);
    if (by) for (const [path, bytes] of await signatureFiles(offered, by)) files.set(path, bytes);
    const digests = new Map([...files].map(([path, bytes]) => [path, digestOf(bytes)]));
    for (const [path, bytes] of files) server.files.set(`/cas/${digests.get(path)!.hash}`, Buffer.from(bytes));
    server.files.set(`/ac/${name}`, Buffer.from(printActionResult(digests)));
  }

  /** Installs a pack with the decision, signed if there is a key. */
  async function withPack(by: typeof key | null): Promise<string> {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    writePack(root, { name: "pack", decisions: [decision] });
    const signature = by && (await signDecision(sha256(printExchange([decision])), by, time));
    if (signature) writeFileSync(join(root, "node_modules/pack", signatureOf("decisions.jsonl")), signature);
    return root;
  }

  async function build(
    options: KernelPluginOptions,
    root = writeApp({ "src/gemm.op.ts": gemmText() }),
    rest: CompileCase = {},
  ) {
    const said: string[] = [];
    const { kernel, warnings } = await compileIn(root, {
      options,
      change: ({ services }) => ({
        services: { ...services, log: { ...services.log, info: (line) => void said.push(line) } },
      }),
      ...rest,
    });
    return { origin: kernel.origin, warnings, said };
  }
  const remote = () => ({ remote: server.url });

  turn("takes a remote store's decision under the signature of a listed key, and says so", async () => {
    await offer(key);
    expect(await build({ ...remote(), trust: required })).toEqual({
      origin: "remote",
      warnings: [],
      said: [`${lockName}: the remote store's decision is signed by key ci-1`, unsignedEntry("a remote store")],
    });
  });

  turn("tunes where a remote store's decision is not signed, and says so; without require it takes it", async () => {
    await offer(null);
    expect(await build({ ...remote(), trust: required })).toEqual({
      origin: "tuned",
      warnings: [`${lockName}: nothing is taken from the remote store: ${why}`],
      said: [],
    });
    expect(await build({ ...remote(), trust: listed })).toEqual({ origin: "remote", warnings: [], said: [] });
    await offer(other);
    const unlisted = "key other is not one that option trust lists";
    expect((await build({ ...remote(), trust: required })).warnings[0]).toContain(unlisted);
    const mild = await build({ ...remote(), trust: listed });
    expect(mild).toMatchObject({
      origin: "remote",
      said: [expect.stringContaining(`not taken as signed: ${unlisted}`)],
    });
  });

  turn("takes the signed decision of the class where the machine's own is not signed", async () => {
    const root = writeApp({ "src/gemm.op.ts": gemmText() });
    await compileIn(root, { machine: machineWith(24 * 1024) });
    const ofClass = (await storedDecisions(`${root}/store`))[0]!;
    await offer(null);
    await offer(key, ofClass, ofClass.tunedFor!.class);
    expect(await build({ ...remote(), trust: required })).toEqual({
      origin: "remote",
      warnings: [`${lockName}: nothing is taken from the remote store: ${why}`],
      said: [`${lockName}: the remote store's decision is signed by key ci-1`, unsignedEntry("a remote store")],
    });
  });

  turn("puts what it tunes into a remote store with its own signature", async () => {
    const writing = { remote: { url: server.url, mode: "read-write" } } as const;
    const environment = { UNPLUGIN_KERNEL_SIGNING_KEY: privateLine(key) };
    expect((await build(writing, undefined, { environment })).origin).toBe("tuned");
    const store = openRemote(resolveRemote(server.url, {})!);
    const answer = await store.get(decision.key);
    if (answer.kind !== "found") throw new Error(answer.kind);
    expect(await vouched(trusting(required), outsideFileOf(store, answer))).toMatchObject({ signer: "key ci-1" });
  });

  turn("refuses a signature that the server does not give away, where one is required", async () => {
    await offer(key);
    const { hash } = digestOf(Buffer.from(printExchange([decision])));
    for (const path of server.files.keys())
      if (path.startsWith("/cas/") && path !== `/cas/${hash}`) server.files.delete(path);
    expect((await build({ ...remote(), trust: required })).warnings).toEqual([
      `${lockName}: nothing is taken from the remote store: option trust wants it signed, and its signature cannot be read: a file that its entry names is not there`,
    ]);
  });

  turn("takes the decision of a signed pack alone", async () => {
    const packs = ["pack"];
    expect(await build({ packs, trust: required }, await withPack(key))).toEqual({
      origin: "pack",
      warnings: [],
      said: [`${lockName}: the decision of pack pack is signed by key ci-1`, unsignedEntry("a pack")],
    });
    expect(await build({ packs, trust: required }, await withPack(null))).toMatchObject({
      origin: "tuned",
      warnings: [`${lockName}: nothing is taken from pack pack: ${why}`],
    });
    expect(await build({ packs, trust: listed }, await withPack(null))).toMatchObject({ origin: "pack", warnings: [] });
  });

  describe("that has a decision from outside in its own store", () => {
    /** A project whose store has the decision of a remote store, and whose lock is gone. */
    async function withStored(by: typeof key | null, trust: TrustOptions): Promise<string> {
      await offer(by);
      const root = writeApp({ "src/gemm.op.ts": gemmText() });
      expect((await build({ ...remote(), trust }, root)).origin).toBe("remote");
      rmSync(join(root, "kernels.lock.json"));
      return root;
    }
    const notTaken = (words: string): string[] => [
      `${lockName}: the store's decision is from a remote store, and not taken: option trust wants it signed, and ${words}`,
    ];

    turn("takes it as long as who signed it is trusted", async () => {
      const root = await withStored(key, listed);
      expect(await build({ trust: required }, root)).toMatchObject({ origin: "store", warnings: [] });
      rmSync(join(root, "kernels.lock.json"));
      expect(await build({ trust: { ...required, revoked: ["ci-1"] } }, root)).toMatchObject({
        origin: "tuned",
        warnings: notTaken("key ci-1 is revoked"),
      });
      // What was tuned here has taken its place.
      rmSync(join(root, "kernels.lock.json"));
      expect(await build({ trust: required }, root)).toMatchObject({ origin: "store", warnings: [], said: [] });
    });

    turn.each<[string, typeof key | null, TrustOptions]>([
      ["nobody", null, listed],
      ["a key that was not listed", other, listed],
      ["a key, when nobody was trusted", key, {}],
    ])("takes what was signed by %s only where no signature is required", async (_, by, trust) => {
      const root = await withStored(by, trust);
      expect(await build({ trust: listed }, root)).toMatchObject({ origin: "store", warnings: [] });
      rmSync(join(root, "kernels.lock.json"));
      await offer(key);
      expect(await build({ ...remote(), trust: required }, root)).toMatchObject({
        origin: "remote",
        warnings: notTaken("it is not signed"),
      });
      // The signed one has replaced it.
      rmSync(join(root, "kernels.lock.json"));
      expect(await build({ trust: required }, root)).toMatchObject({ origin: "store", warnings: [] });
    });

    turn("signs no entry of the lock for it, as it signs none for another user's", async () => {
      const environment = { UNPLUGIN_KERNEL_SIGNING_KEY: privateLine(other) };
      const root = await withStored(null, {});
      const { candidate, source, measured } = decision;
      const entry: ScheduleEntry = { kind: "schedule", schema: storeSchema, candidate, source, measured };
      const foreign: CompileCase = {
        change: ({ store }) => ({ store: { ...store, foreignSchedule: async () => entry } }),
      };
      const fresh = writeApp({ "src/gemm.op.ts": gemmText() });
      for (const [at, rest] of [[root, {}] as const, [fresh, foreign] as const]) {
        expect((await build({}, at, { environment, ...rest })).origin).toBe("store");
        expect(readFileSync(join(at, "kernels.lock.json"), "utf8")).not.toContain("signature");
      }
    });

    it("lists it by its origin", async () => {
      const root = await withStored(key, listed);
      expect(await storedItems(join(root, "store"))).toContainEqual(
        expect.objectContaining({ kind: "schedule", from: "remote", isSigned: true }),
      );
    });
  });

  turn("takes nothing of another user's store, which signs nothing", async () => {
    const { candidate, source, measured } = decision;
    const entry: ScheduleEntry = { kind: "schedule", schema: storeSchema, candidate, source, measured };
    const foreign: CompileCase = {
      change: ({ store }) => ({ store: { ...store, foreignSchedule: async () => entry } }),
    };
    expect(await build({ trust: required }, undefined, foreign)).toMatchObject({
      origin: "tuned",
      warnings: [`${lockName}: the store has a decision that is not of this user's builds, and not taken: ${why}`],
    });
    expect(await build({ trust: listed }, undefined, foreign)).toMatchObject({ origin: "store", warnings: [] });
  });
});

it("a signature beside a file is that of the text that was parsed", async () => {
  const root = writeApp({ "decisions.jsonl": "another file by now\n" });
  const path = join(root, "decisions.jsonl");
  expect(await outsideFile(path, "text\n").signature()).toEqual({ why: "it is not signed" });
  writeFileSync(signatureOf(path), await signDecision(sha256("text\n"), key, time));
  expect(await vouched(trusting(required), outsideFile(path, "text\n"))).toMatchObject({ signer: "key ci-1" });
  expect(await vouched(trusting(required), outsideFile(path, "another file by now\n"))).toMatchObject({
    kind: "refused",
  });
});
