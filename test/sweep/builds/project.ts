// The folder of a drawn case: where its parts lie, and how a build in it is started.
//
//     src/main.js, src/tiny.op.ts    the program and its operator
//     lock/kernels.lock.json         the lock, in a folder of its own, so that what is left beside it is seen
//     store/                         the store
//     temporary/                     TMPDIR, which has to be empty in the end
//     bin/                           the PATH
//     home/                          HOME, with the user's secret and private key

import { fileURLToPath } from "node:url";
import type { BuildCase } from "./dimensions.ts";
import { type Ended, runProgram } from "./run-program.ts";
import { drawnLine, strangersLine, trustedLine } from "./signing-keys.ts";

export const lockName = "lock/kernels.lock.json";

export const packName = "@team/tuned";

/** What must be nowhere in outputs, logs and files. */
export const secrets = {
  token: "drawn-token-f00dbeef",
  password: "drawn-password-c0ffee",
  "Basic credentials": Buffer.from("drawn:drawn-password-c0ffee").toString("base64"),
  storeKey: "5e".repeat(32),
  "bytes of the store key": "\x5e".repeat(32),
  "signing key": drawnLine.slice(-44),
  "stranger's signing key": strangersLine.slice(-44),
} as const;
export const foreignKey = "6f".repeat(32);

export interface Started {
  readonly root: string;
  readonly drawn: BuildCase;
  /** Address of the remote store; null: the case has none. */
  readonly remoteUrl: string | null;
}

const rootOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Found from the sources and from the bundle in dist/test alike. */
const repository = rootOf(import.meta.url.includes("/dist/test/") ? "../.." : "../../..");
export const scripts = {
  build: `${repository}/test/sweep/builds/build.js`,
  cli: `${repository}/dist/cli.js`,
  errors: `${repository}/docs/errors.md`,
} as const;

const signingVariable: { readonly [signing in BuildCase["signing"]]?: Readonly<Record<string, string>> } = {
  "in the environment": { UNPLUGIN_KERNEL_SIGNING_KEY: drawnLine },
  "with another key": { UNPLUGIN_KERNEL_SIGNING_KEY: strangersLine },
  "broken in the environment": { UNPLUGIN_KERNEL_SIGNING_KEY: `${drawnLine}x` },
};

export function environmentOf({ root, drawn }: Started, storeKey: string = secrets.storeKey): Record<string, string> {
  return {
    PATH: `${root}/bin`,
    HOME: `${root}/home`,
    TMPDIR: `${root}/temporary`,
    ...(drawn.secret === "in the environment" && { UNPLUGIN_KERNEL_STORE_KEY: storeKey }),
    ...signingVariable[drawn.signing],
    ...(drawn.mode === "by CI" && { CI: "1" }),
    ...(drawn.offline === "by environment" && { UNPLUGIN_KERNEL_OFFLINE: "1" }),
    ...(drawn.credentials === "token" && { UNPLUGIN_KERNEL_REMOTE_TOKEN: secrets.token }),
  };
}

const trustOption = ({ drawn }: Started) =>
  drawn.trust === "none" ? null : { keys: [trustedLine], ...(drawn.trust === "required" && { require: ["decision"] }) };

function remoteOption({ drawn, remoteUrl }: Started) {
  if (remoteUrl === null) return null;
  const url = new URL(remoteUrl);
  if (drawn.credentials === "in the URL") Object.assign(url, { username: "drawn", password: secrets.password });
  return { url: url.href, mode: drawn.remoteMode };
}

/** Folder of the store: below a file it cannot be made. */
export const storeOf = (drawn: BuildCase): string => (drawn.store === "below a file" ? "store/folder" : "store");

/** Few measurements: a tuning takes a second on a quiet machine. */
const budget = { seconds: 100, trials: 2 };

export function optionsOf(started: Started): object {
  const { root, drawn } = started;
  const [remote, trust] = [remoteOption(started), trustOption(started)];
  return {
    root,
    lockfile: lockName,
    cacheDir: storeOf(drawn),
    budget,
    onMiss: drawn.onMiss,
    ...(drawn.mode !== "by CI" && { mode: drawn.mode }),
    ...(drawn.pack !== "none" && { packs: [packName] }),
    ...(drawn.offline === "by option" && { offline: true }),
    ...(remote && { remote }),
    ...(trust && { trust }),
  };
}

export function runBuild(started: Started, out: string, storeKey?: string): Promise<Ended> {
  const { root, drawn } = started;
  const given = { host: drawn.host, root, out, options: optionsOf(started) };
  return runProgram([scripts.build, JSON.stringify(given)], root, environmentOf(started, storeKey));
}

export function runVerify(started: Started): Promise<Ended> {
  const { root, drawn } = started;
  const trust = trustOption(started) === null ? [] : ["--trust", "trust.json"];
  const args = ["verify", "--root", root, "--lockfile", lockName, "--cache-dir", storeOf(drawn), ...trust];
  return runProgram([scripts.cli, ...args], root, environmentOf(started));
}

export const trustFile = (started: Started): string => JSON.stringify(trustOption(started) ?? []);
