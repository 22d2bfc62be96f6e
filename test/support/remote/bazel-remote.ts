// What bazel-remote refuses: names that are no hashes, blobs under another digest, entries that are no ActionResult, and entries whose
// blobs it does not have. It gives an entry as JSON to those who ask for that, with fields of its own.

import { createHash } from "node:crypto";
import { type Double, type Strictness, startDouble } from "./double.ts";

const name = /^(.*\/)?(ac|cas)\/([0-9a-f]{64})$/;
const emptyHash = createHash("sha256").digest("hex");

/** Fields of ActionResult and of OutputFile: JSON of protocol buffers has no others. */
const resultFields = ["outputFiles", "exitCode", "stdoutRaw", "stderrRaw", "executionMetadata"];
const fileFields = ["path", "digest", "isExecutable", "contents"];

function isActionResult(text: string): boolean {
  try {
    const result = JSON.parse(text);
    const hasKnown = (value: object, fields: readonly string[]) =>
      Object.keys(value).every((it) => fields.includes(it));
    return (
      hasKnown(result, resultFields) &&
      result.outputFiles.every(
        (file: { path: unknown; digest: { hash: string; sizeBytes: string } }) =>
          hasKnown(file, fileFields) &&
          typeof file.path === "string" &&
          /^[0-9a-f]{64}$/.test(file.digest.hash) &&
          /^\d+$/.test(file.digest.sizeBytes),
      )
    );
  } catch {
    return false;
  }
}

const strictness: Strictness = ({ method, url = "", headers }, body, files) => {
  const [, folder = "", kind, hash = ""] = name.exec(url) ?? [];
  if (kind === undefined) return { status: 400, body: "resource name must be a SHA256 hash in hex" };
  if (method !== "GET" && method !== "PUT") return { status: 405 };
  const blobsOf = (text: string): string[] =>
    JSON.parse(text).outputFiles.map(({ digest }: { digest: { hash: string } }) => `${folder}cas/${digest.hash}`);
  const hasBlobs = (text: string): boolean => blobsOf(text).every((it) => files.has(it) || it.endsWith(emptyHash));
  if (method === "GET") {
    const entry = kind === "ac" && files.get(url)?.toString();
    if (!entry) return null;
    if (headers.accept !== "application/json") return { status: 200, body: "\n\x05proto" };
    if (!hasBlobs(entry)) return { status: 404 };
    return { status: 200, body: JSON.stringify({ ...JSON.parse(entry), executionMetadata: { worker: "127.0.0.1" } }) };
  }
  if (headers["content-length"] === undefined) return { status: 400, body: "PUT without Content-Length" };
  if (kind === "cas") {
    return createHash("sha256").update(body).digest("hex") === hash
      ? null
      : { status: 400, body: "hashes don't match" };
  }
  const isJson = headers["content-type"] === "application/json" && isActionResult(body.toString());
  if (!isJson) return { status: 400, body: "no ActionResult" };
  return hasBlobs(body.toString()) ? null : { status: 400, body: "blobs are missing" };
};

export const startBazelRemote = (): Promise<Double> => startDouble(strictness);
