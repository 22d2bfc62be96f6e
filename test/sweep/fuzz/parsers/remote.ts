// Parsers of what servers answer, of the option and the environment that name them, and of packages of decisions.

import { packFiles } from "../../../../src/cli/pack/pack-files.ts";
import { codegenVersion } from "../../../../src/compiler/index.ts";
import { allowedRemote } from "../../../../src/plugin/options/allowed-remote.ts";
import { jobOf } from "../../../../src/plugin/options/ci-job.ts";
import { withoutCredentials } from "../../../../src/plugin/options/credentials.ts";
import { namespacesOf } from "../../../../src/plugin/options/namespaces.ts";
import { isRemoteOption, type ResolvedRemote, resolveRemote } from "../../../../src/plugin/options/remote-options.ts";
import { readManifest, readPack } from "../../../../src/plugin/packs/read-pack.ts";
import { digestOf, parseActionResult, printActionResult } from "../../../../src/plugin/remote/action-result.ts";
import { httpCache } from "../../../../src/plugin/remote/http-cache.ts";
import { decisionBytes, decisionPath, openRemote } from "../../../../src/plugin/remote/remote-store.ts";
import { s3Cache } from "../../../../src/plugin/remote/s3.ts";
import type { Transport } from "../../../../src/plugin/remote/transport.ts";
import { turborepoCache } from "../../../../src/plugin/remote/turborepo.ts";
import { printExchange, type SharedDecision } from "../../../../src/tuner/store/exchange.ts";
import { lockEntry } from "../../../tuner/store/sample-entry.ts";
import { folderWith } from "../folder.ts";
import { type FuzzedParser, unless } from "../parser.ts";

const digest = "ab".repeat(32);
const { candidate, source, measured } = lockEntry;
const decision: SharedDecision = { key: digest, candidate, source, measured: measured! };
const action = printActionResult(
  new Map([
    [decisionPath, digestOf(decisionBytes(decision))],
    ["blobs/addon", { hash: source, bytes: 70_000 }],
  ]),
);

const limits = { getMs: 10_000, putMs: 10_000 };
const url = "https://cache.example/kernels";
const access = { authorization: "Bearer secret", isWithheld: false, source: "the token" };
const transports: readonly (() => Transport)[] = [
  () => httpCache({ url, namespace: null, access, limits }),
  () => s3Cache({ url, namespace: "main", region: "eu-central-1", keys: null, limits, pauseMs: 0 }),
  () => turborepoCache({ url, namespace: null, access, team: "slug=us", limits }),
];

/** An answer as it stands on the wire: its status, its headers, an empty line, and the body. Null: no server could send it. */
function responseOf(text: string): Response | null {
  const [head = "", ...body] = text.split("\n\n");
  const [status = "", ...lines] = head.split("\n");
  const headers = lines.map((line) => line.split(": ", 2) as [string, string]);
  const content = [204, 205, 304].includes(Number(status)) ? null : body.join("\n\n");
  return unless([RangeError, TypeError], () => new Response(content, { status: Number(status), headers }));
}

const between = "\n--\n";

/** Runs something while `fetch` answers what is given, and the last of it to all that is asked then. */
async function whileServed<T>(answers: readonly string[], run: () => Promise<T>): Promise<T> {
  const before = globalThis.fetch;
  let asked = 0;
  globalThis.fetch = async () => {
    const response = responseOf(answers[Math.min(asked++, answers.length - 1)]!);
    if (!response) throw new TypeError("fetch failed");
    return response;
  };
  try {
    return await run();
  } finally {
    globalThis.fetch = before;
  }
}

const options: readonly unknown[] = [
  "https://user:secret@cache.example/kernels/",
  "s3://bucket/folder",
  { url: "http://127.0.0.1:8080", mode: "read-write", namespace: "pr/12" },
  { protocol: "turborepo" },
  { url: "https://api.example", protocol: "turborepo", mode: "read-only" },
];
const environments: readonly object[] = [
  {
    AWS_ACCESS_KEY_ID: "AKIA",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_REGION: "eu-central-1",
    AWS_ENDPOINT_URL: "http://127.0.0.1:9000",
  },
  { TURBO_API: "https://api.example/", TURBO_TOKEN: "secret", TURBO_TEAM: "us" },
  {
    GITHUB_ACTIONS: "true",
    GITHUB_EVENT_NAME: "pull_request",
    GITHUB_REF: "refs/pull/12/merge",
    GITHUB_REF_PROTECTED: "false",
  },
  { GITLAB_CI: "true", CI_PIPELINE_SOURCE: "push", CI_COMMIT_REF_PROTECTED: "true" },
];

/** A store's address is one by http that shows no credentials. */
function checked(remote: ResolvedRemote | null): ResolvedRemote | null {
  if (remote === null) return null;
  const { username, password, protocol } = new URL(remote.url);
  if (username || password) throw new Error(`its URL has credentials: ${remote.url}`);
  if (!/^https?:$/.test(protocol)) throw new Error(`its URL is of ${protocol}`);
  return remote;
}

const manifest = { unpluginKernel: { pack: 1, codegen: codegenVersion, decisions: "decisions.jsonl" } };

export const remoteParsers: readonly FuzzedParser[] = [
  {
    name: "action-result",
    seeds: () => [
      action,
      JSON.stringify({ outputFiles: [{ path: "a", digest: { hash: digest, sizeBytes: 7 } }], executionMetadata: {} }),
    ],
    read(text) {
      const files = parseActionResult(text);
      return files && printActionResult(files);
    },
  },
  {
    name: "server-answer",
    seeds: () => [
      [
        `200\ncontent-type: application/json\n\n${action}`,
        `200\ncontent-length: 400\n\n${printExchange([decision])}`,
      ].join(between),
      "404\n\n<Error><Code>NoSuchKey</Code></Error>",
      "403\n\n<Error><Code>AccessDenied</Code></Error>",
      "503\nretry-after: 1\n\n<Error><Code>SlowDown</Code></Error>",
      "307\nlocation: https://other.example/ac/1\n\n",
      `302\nlocation: ../elsewhere\n\n${between}200\n\n{}`,
    ],
    isPrinted: false,
    async read(text) {
      const answers = text.split(between);
      const read = [];
      for (const transport of transports) {
        const remote = openRemote({} as ResolvedRemote, {}, Promise.resolve(transport()));
        const answer = await whileServed(answers, () => remote.get(digest));
        if (answer.kind === "found" && answer.decision.key !== digest) throw new Error("it is another's decision");
        const put = await whileServed(answers, () => remote.put(decision));
        read.push([answer.kind, put.kind]);
      }
      return JSON.stringify(read);
    },
  },
  {
    name: "remote-option",
    seeds: () => options.map((option) => JSON.stringify(option)),
    isPrinted: false,
    read(text) {
      const value: unknown = unless([SyntaxError], () => JSON.parse(text));
      const shown = withoutCredentials(value);
      if (typeof shown === "string" && shown.includes("@")) throw new Error(`credentials are shown: ${shown}`);
      if (value === null || !isRemoteOption(value)) return null;
      return JSON.stringify(checked(resolveRemote(value, { TURBO_API: "https://api.example" })));
    },
  },
  {
    name: "environment",
    seeds: () => environments.map((environment) => JSON.stringify(environment)),
    isPrinted: false,
    read(text) {
      const value = unless([SyntaxError], () => JSON.parse(text) as object | null) ?? {};
      // The system's environment has texts alone, and no NUL.
      const environment = Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, typeof one === "string" ? one : JSON.stringify(one)]),
      );
      const remotes = options.flatMap((option) =>
        isRemoteOption(option) ? [checked(resolveRemote(option, environment))] : [],
      );
      const job = jobOf(environment, true);
      const { read, write } = namespacesOf(job);
      if (write !== null && !read.includes(write)) throw new Error(`a job may write ${write}, and not read it`);
      for (const remote of remotes) {
        const allowed = remote && allowedRemote({ ...remote, isWritten: true }, environment, true);
        const isWritten = allowed?.kind === "allowed" && allowed.remote.isWritten;
        if (isWritten && job.kind === "pull-request" && remote?.namespace !== write)
          throw new Error("a pull request writes what is not its own");
      }
      return JSON.stringify([read, write, remotes]);
    },
  },
  {
    name: "pack",
    seeds: () => [JSON.stringify({ name: "@team/kernels", ...manifest }, null, 2)],
    read(text) {
      const folder = folderWith("pack", { "package.json": text, "decisions.jsonl": printExchange([decision]) });
      readPack(folder);
      const found = readManifest(folder);
      return typeof found === "string" ? null : JSON.stringify({ unpluginKernel: found });
    },
  },
  {
    // The package.json of a pack that is written again.
    name: "pack-before",
    seeds: () => [
      JSON.stringify({ name: "kernels", version: "1.2.3", private: true, ...manifest }),
      '{"version":"1.0.0-beta.1"}',
    ],
    isPrinted: false,
    read(text) {
      const known: unknown = unless([SyntaxError], () => JSON.parse(text));
      if (typeof known !== "object" || known === null) return null;
      const kernel = { kernel: "src/gemm.op.ts?tune=avx2", decision };
      const before = { manifest: known as Readonly<Record<string, unknown>>, decisions: "" };
      const written = packFiles({ name: "kernels", license: "MIT", kernels: [kernel], before } as Parameters<
        typeof packFiles
      >[0]);
      const { version, unpluginKernel } = JSON.parse(written["package.json"]!);
      if (JSON.stringify(unpluginKernel) !== JSON.stringify(manifest.unpluginKernel)) throw new Error("it is no pack");
      if (/e\+/.test(version) && !/e\+/.test(text)) throw new Error(`its version is ${version}`);
      return written["package.json"]!;
    },
  },
];
