// Plants what a stranger who can write a store may leave there, without its owner's secret: scripts, binaries, facts, lines.

import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import cacache from "cacache";
import { sha256 } from "../../src/compiler/index.ts";
import { sealEntry } from "../../src/tuner/store/sealed-entry.ts";
import { storeKey } from "../../src/tuner/store/store-key.ts";

const options = { algorithms: ["sha256"] as [string] };

const bytesOf = (store: string, digest: string): Promise<Buffer> =>
  cacache.get.byDigest(store, `sha256-${Buffer.from(digest, "hex").toString("base64")}`);

/** Replaces the blob of a role in all entries that have one, and lets the entries name the new one. Returns their number. */
async function replaceBlobs(store: string, role: string, edit: (bytes: Buffer) => Buffer): Promise<number> {
  let count = 0;
  for (const { key } of Object.values(await cacache.ls(store))) {
    const [json, ...code] = (await cacache.get(store, key)).data.toString().split("\n");
    const entry = key.startsWith("blob:") ? {} : JSON.parse(json!);
    if (!entry.blobs?.[role]) continue;
    const bytes = edit(await bytesOf(store, entry.blobs[role].sha256));
    entry.blobs[role] = { sha256: sha256(bytes), bytes: bytes.length };
    await cacache.put(store, `blob:${sha256(bytes)}`, bytes, options);
    await cacache.put(store, key, [JSON.stringify(entry), ...code].join("\n"), options);
    count += 1;
  }
  return count;
}

const filesBelow = (folder: string): readonly string[] =>
  (existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [])
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

/** Bytes that no compiler of ours makes; an addon with them at its end is loaded all the same. */
const planted = Buffer.from("planted");

/** Ways to poison a store; each returns the number of things that it planted. `marker`: a file that planted code writes. */
export const plants = {
  bundle: (store: string, marker: string) =>
    replaceBlobs(store, "code", (code) =>
      Buffer.from(`${code};\nrequire("node:fs").writeFileSync(${JSON.stringify(marker)}, "ran");`),
    ),
  addon: (store: string) => replaceBlobs(store, "addon", (bytes) => Buffer.concat([bytes, planted])),
  wasm: (store: string) =>
    // f32x4.add becomes f32x4.sub.
    replaceBlobs(store, "wasm", (code) => Buffer.from(code.toString("hex").replaceAll("fde401", "fde501"), "hex")),
  facts: (store: string) => replaceBlobs(store, "facts", () => Buffer.from("{ no JSON")),
  async "dev addon"(store: string) {
    const files = filesBelow(join(store, "addons"));
    for (const file of files) writeFileSync(file, Buffer.concat([readFileSync(file), planted]));
    return files.length;
  },
  async "index line"(store: string) {
    const files = filesBelow(join(store, "index-v5"));
    const line = `\n${createHash("sha1").update("null").digest("hex")}\tnull`;
    for (const file of files) appendFileSync(file, line);
    return files.length;
  },
} as const;

export type PlantName = keyof typeof plants;
export const plantNames = Object.keys(plants) as readonly PlantName[];

/** Seals all entries with the user's own secret, as a program that runs as the user could. Returns their number. */
export async function sealAgain(store: string): Promise<number> {
  const entries = Object.values(await cacache.ls(store)).filter(({ key }) => !key.startsWith("blob:"));
  for (const { key } of entries) {
    const [json] = (await cacache.get(store, key)).data.toString().split("\n");
    await cacache.put(store, key, sealEntry(storeKey(), key, JSON.parse(json!)), options);
  }
  return entries.length;
}
