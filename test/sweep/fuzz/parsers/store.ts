// Parsers of what lies in a store or a lock file, or comes from a remote store.

import { createHash } from "node:crypto";
import { factsIn } from "../../../../src/plugin/compile/artifact-store.ts";
import { ShapeError } from "../../../../src/tuner/record/strict.ts";
import { parseExchange, printExchange } from "../../../../src/tuner/store/exchange.ts";
import { JsonTextError, parseLocatedJson } from "../../../../src/tuner/store/located-json.ts";
import { parseLockfile, printLockfile } from "../../../../src/tuner/store/lockfile.ts";
import { parseIndexLine } from "../../../../src/tuner/store/read-cacache.ts";
import { decodeStoreEntry } from "../../../../src/tuner/store/store-entry.ts";
import { lockEntry } from "../../../tuner/store/sample-entry.ts";
import { type FuzzedParser, ofJson, unless } from "../parser.ts";

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
];
