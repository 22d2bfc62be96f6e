// Parsers of what lies in a store or a lock file, or comes from a remote store.

import { createHash } from "node:crypto";
import { run as mergeLock } from "../../../../src/cli/actions/merge-lock.ts";
import type { Project } from "../../../../src/cli/project/project.ts";
import { DiagnosticError } from "../../../../src/compiler/index.ts";
import { describeHolder, holderOf } from "../../../../src/native/lock/lock-holder.ts";
import { factsIn } from "../../../../src/plugin/kernel/stored/artifact-store.ts";
import { shapesIn } from "../../../../src/plugin/kernel/stored/stored-cuda.ts";
import { hasConflict, kernelsInConflict, sidesOf } from "../../../../src/tuner/lock/lock-conflict.ts";
import { parseLockfile, printLockfile } from "../../../../src/tuner/lock/lockfile.ts";
import { printMerged } from "../../../../src/tuner/lock/merge-locks.ts";
import { parseExchange, printExchange } from "../../../../src/tuner/store/exchange.ts";
import { listIndex } from "../../../../src/tuner/store/list-index.ts";
import { findDigest, parseIndexLine } from "../../../../src/tuner/store/read-cacache.ts";
import { openEntry, sealEntry } from "../../../../src/tuner/store/sealed-entry.ts";
import { decodeStoreEntry } from "../../../../src/tuner/store/store-entry.ts";
import { JsonTextError, parseLocatedJson } from "../../../../src/tuner/support/located-json.ts";
import { ShapeError } from "../../../../src/tuner/support/strict.ts";
import { lockEntry } from "../../../tuner/store/sample-entry.ts";
import { folderWith } from "../folder.ts";
import { type FuzzedParser, ofJson, unless, unlessRejected } from "../parser.ts";

const digest = "ab".repeat(32);
const { candidate, source, measured } = lockEntry;
const tunedFor = { class: digest, l1Bytes: 49_152, l2Bytes: 2 ** 21, l3Bytes: 0 };
const lock = printLockfile(
  new Map([
    ["src/gemm.op.ts?M=512&tune=avx2", lockEntry],
    ["src/a.op.ts?tune=wasm", { ...lockEntry, measured: null }],
  ]),
);
const line = (json: string): string => `${createHash("sha1").update(json).digest("hex")}\t${json}`;
const indexJson = JSON.stringify({
  key: digest,
  integrity: `sha256-${"A".repeat(43)}=`,
  time: 1_700_000_000_000,
  size: 7,
});

const secret = Buffer.alloc(32, 9);
const sealedText = sealEntry(secret, digest, {
  kind: "schedule",
  schema: 1,
  candidate,
  source,
  measured: measured!,
}).toString();
const slower = { ...lockEntry, measured: { ...measured!, medianNs: 2e6, machine: "another" }, source: digest };
const conflict = { kernel: "src/b.op.ts?tune=avx2", ours: lockEntry, theirs: slower };
const disputed = printMerged(
  { entries: new Map([["src/a.op.ts?tune=wasm", lockEntry]]), conflicts: [conflict] },
  undefined,
);
const holder = {
  token: "t",
  pid: 4711,
  since: "2026-11-25T01:40:12.000Z",
  host: "a",
  boot: "b",
  namespace: "pid:[4026531836]",
};

export const storeParsers: readonly FuzzedParser[] = [
  {
    name: "lock",
    seeds: () => [lock, printLockfile(new Map())],
    read(text) {
      const content = parseLockfile(text, "kernels.lock.json");
      return content.kind === "ok" ? printLockfile(content.entries) : null;
    },
  },
  {
    name: "located-json",
    seeds: () => [lock, '{"a": [1, 2.5e3, {"b": null}], "c": "\\u0041"}', "[]"],
    read(text) {
      const located = unless([JsonTextError], () => parseLocatedJson(text));
      if (located === null) return null;
      located.lineOf(["kernels", "src/a.op.ts?tune=wasm", "target", 0]);
      return JSON.stringify(located.value);
    },
  },
  {
    name: "exchange",
    seeds: () => [
      printExchange([]),
      printExchange([
        { key: digest, candidate, source, measured: measured! },
        { key: source, candidate, source: digest, measured: measured! },
        { key: "cd".repeat(32), candidate, source, measured: measured!, tunedFor },
      ]),
    ],
    read(text) {
      const parsed = parseExchange(text);
      return parsed.kind === "ok" ? printExchange(parsed.decisions) : null;
    },
  },
  {
    name: "store-entry",
    seeds: () => [
      JSON.stringify({ kind: "schedule", schema: 1, candidate, source, measured }),
      JSON.stringify({ kind: "schedule", schema: 1, candidate, source, measured, tunedFor }),
      JSON.stringify({ kind: "schedule", schema: 1, candidate, source, measured, tunedFor, from: { kind: "pack" } }),
      JSON.stringify({
        ...{ kind: "schedule", schema: 1, candidate, source, measured },
        from: { kind: "remote", signature: { file: digest, bundle: '{"mediaType":""}\n' } },
      }),
      JSON.stringify({ kind: "artifact", schema: 1, blobs: { wasm: { sha256: digest, bytes: 70_000 } } }),
    ],
    read: ofJson(ShapeError, (value) => decodeStoreEntry(value, [])),
  },
  {
    name: "kernel-facts",
    seeds: () => [
      JSON.stringify({ trace: "split C.i", errorBound: 0.001, preparation: null }),
      JSON.stringify({
        trace: "",
        errorBound: 0,
        preparation: { inputs: ["B"], results: [{ name: "B.packed", dtype: "f32", shape: [4, 8] }] },
      }),
    ],
    read(text) {
      const facts = factsIn(new Uint8Array(Buffer.from(text)));
      return facts && JSON.stringify(facts);
    },
  },
  {
    name: "ptx-launches",
    seeds: () => {
      const launch = { entry: "gemm_0", grid: [4, 1, 1], group: [128, 1, 1], groupBytes: 1024 };
      const run = { launches: [launch], scratch: [64] };
      const map = { array: 1, elementBytes: 2, columns: 512, rows: 256, box: [64, 32] };
      const inClusters = { ...launch, cluster: 2, maps: [map] };
      return [
        JSON.stringify({ architecture: "sm_90a", run, prepare: null }),
        JSON.stringify({ architecture: "sm_80", run, prepare: { launches: [], scratch: [] } }),
        JSON.stringify({ architecture: "sm_90a", run: { launches: [inClusters], scratch: [] }, prepare: null }),
      ];
    },
    read(text) {
      const shapes = shapesIn(new Uint8Array(Buffer.from(text)));
      return shapes && JSON.stringify(shapes);
    },
  },
  {
    name: "index-line",
    seeds: () => [line(indexJson)],
    read(text) {
      const read = parseIndexLine(text);
      return read && line(JSON.stringify(read));
    },
  },
  {
    // The hash is right, whatever stands behind it: anybody can make one.
    name: "index-line-forged",
    seeds: () => [indexJson, '{"key":"k","integrity":null,"time":1}'],
    read(text) {
      const read = parseIndexLine(line(text));
      return read && JSON.stringify(read);
    },
  },
  {
    name: "sealed-entry",
    seeds: () => [sealedText, sealedText.split("\n")[0]!],
    read(text) {
      const opened = openEntry(secret, digest, Buffer.from(text));
      if (opened?.isOurs && text !== sealedText) throw new Error("what nobody sealed is ours");
      return opened && sealEntry(secret, digest, opened.entry).toString();
    },
    // What was foreign would be ours when it is printed.
    isPrinted: false,
  },
  {
    name: "index-bucket",
    seeds: () => [`\n${line(indexJson)}`, `\n${line(indexJson)}\n${line('{"key":"k","integrity":null,"time":1}')}`],
    isPrinted: false,
    read(text) {
      const folder = folderWith("index", { "index-v5/aa/bb/cc": text });
      findDigest(folder, digest);
      return JSON.stringify(listIndex(folder).keys.map(({ used: _, ...key }) => key));
    },
  },
  {
    name: "conflict",
    seeds: () => [disputed, disputed.replace("=======", "||||||| base\n======="), lock],
    isPrinted: false,
    async read(text) {
      kernelsInConflict(text);
      const { ours, theirs, base } = sidesOf(text);
      // Behind two carriage returns a mark is none before one of them is gone.
      if (!text.includes("\r\r") && [ours, theirs, base ?? ""].some(hasConflict))
        throw new Error("a side has marks still");
      const lockfile = `${folderWith("conflict", { "kernels.lock.json": text })}/kernels.lock.json`;
      const project = { options: { lockfile } } as Project;
      const merged = await unlessRejected([DiagnosticError], async () => mergeLock(project, [], { resolve: true }));
      return merged && JSON.stringify(merged.json);
    },
  },
  {
    name: "lock-holder",
    seeds: () => [JSON.stringify(holder)],
    read(text) {
      const found = holderOf(text);
      if (/[^\x20-\x7e]/.test(describeHolder(found))) throw new Error("what a terminal obeys is shown");
      return found && JSON.stringify(found);
    },
  },
];
