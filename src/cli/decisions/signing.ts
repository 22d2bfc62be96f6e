// `cache keygen` and `cache sign`: a private key outside of the project, and signatures of decisions by it.

import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, resolve } from "node:path";
import { DiagnosticError, refuse, sha256 } from "../../compiler/index.ts";
import { replaceFile } from "../../native/file/replace-file.ts";
import { wallClockText } from "../../native/machine/clock.ts";
import { slashPath } from "../../plugin/support/shown-path.ts";
import { signingKeyOf } from "../../plugin/trust/signing-key.ts";
import { readLockfile, updateLockfile } from "../../tuner/lock/lockfile.ts";
import { parseExchange } from "../../tuner/store/exchange.ts";
import { type LoadSigstore, signKeyless } from "../../tuner/trust/keyless.ts";
import { generateSigningKey, isKeyId, privateLine, publicLine, type SigningKey } from "../../tuner/trust/keys.ts";
import { signEntry } from "../../tuner/trust/lock-signature.ts";
import { signStatement } from "../../tuner/trust/sign.ts";
import { decisionsStatement, signatureOf } from "../../tuner/trust/signed-decisions.ts";
import type { DecisionsStatement } from "../../tuner/trust/statement.ts";
import { badArgument, type Flags } from "../flags/flags.ts";
import { exitCodes, type Outcome } from "../project/command.ts";
import type { Project } from "../project/project.ts";
import { readDecisions, unreadable } from "./read-decisions.ts";

/** "My Laptop.local" → my-laptop-1 */
function idOfMachine(): string {
  const name = hostname()
    .split(".")[0]!
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return `${name.slice(0, 50) || "key"}-1`;
}

/** Writes a file that only its owner may read, and that was not there. */
function writeSecret(path: string, line: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw refuse("trust.key-exists", `${path} is there already`, "name another file with --out, or move it away");
  }
  try {
    writeFileSync(file, `${line}\n`);
  } finally {
    closeSync(file);
  }
}

/** @throws DiagnosticError `command.bad-argument`, `trust.key-exists` */
export function generateKey(
  { options: { root, signingKeyFile } }: Project,
  { id = idOfMachine(), out }: Flags,
): Outcome {
  if (!isKeyId(String(id))) throw badArgument(`--id is "${id}"`, "small letters, digits, dots and dashes: ci-2026");
  const file = out === undefined ? signingKeyFile : resolve(root, String(out));
  if (file === null) throw badArgument("this user has no home folder to keep a key in", "--out <file>");
  const key = generateSigningKey(String(id));
  writeSecret(file, privateLine(key));
  const line = publicLine(key);
  const text = [
    line,
    "",
    `The private key is in ${file}. It signs what is tuned on this machine; never commit it.`,
    "To trust it, commit the line above in option trust, or in the file that --trust names:",
    `  ${JSON.stringify({ keys: [line], require: ["decision"] })}`,
    "In CI, the content of the file goes into the secret UNPLUGIN_KERNEL_SIGNING_KEY of protected branches.",
  ];
  return { exitCode: exitCodes.done, json: { id: key.id, publicKey: line, file }, text: text.join("\n") };
}

/** @throws DiagnosticError `trust.bad-key`, `trust.not-signed` */
export function requireKey({ options }: Pick<Project, "options">, { key: file }: Flags): SigningKey {
  const given =
    file === undefined ? options : { signingKey: null, signingKeyFile: resolve(options.root, String(file)) };
  const key = signingKeyOf(given);
  if (key) return key;
  throw refuse(
    "trust.not-signed",
    `there is no private key: neither UNPLUGIN_KERNEL_SIGNING_KEY nor ${given.signingKeyFile ?? "a home folder"}`,
    "unplugin-kernel cache keygen makes one",
  );
}

/** Signs all entries of the lock: the holder of the key vouches for them. */
export async function signLock(project: Project, flags: Flags): Promise<Outcome> {
  const key = requireKey(project, flags);
  const { lockfile } = project.options;
  const content = await readLockfile(lockfile);
  if (content.kind === "broken") throw new DiagnosticError(content.diagnostic);
  const signed = new Map([...content.entries].map(([name, entry]) => [name, signEntry(entry, key)]));
  const problem = await updateLockfile(lockfile, signed);
  if (problem) throw new DiagnosticError(problem);
  const kernels = [...signed.keys()];
  const text = [...kernels.map((name) => `signed   ${name}`), `${kernels.length} signed by key ${key.id}`];
  return { exitCode: exitCodes.done, json: { lockfile, keyid: key.id, kernels }, text: text.join("\n") };
}

/** @throws DiagnosticError `exchange.unreadable` */
function statementOn(file: string, builder: string): DecisionsStatement {
  const content = readDecisions(file);
  const parsed = parseExchange(content);
  if (parsed.kind === "wrong") {
    const [{ line, why } = { line: 1, why: "" }] = parsed.problems;
    throw unreadable(file, `line ${line}: ${why}`);
  }
  const predicate = { decisions: parsed.decisions.length, builder, time: wallClockText() };
  return decisionsStatement(sha256(content), predicate);
}

/** @throws DiagnosticError `exchange.unreadable`, `trust.bad-key`, `trust.not-signed`, `trust.no-sigstore` */
export async function signFile(
  project: Pick<Project, "options">,
  name: string,
  flags: Flags,
  load?: LoadSigstore,
): Promise<Outcome> {
  const { root } = project.options;
  const file = resolve(root, name);
  const key = flags.keyless ? null : requireKey(project, flags);
  const statement = statementOn(file, key?.id ?? "keyless");
  const bundle = key ? await signStatement(statement, key) : await keyless(statement, load);
  replaceFile(signatureOf(file), bundle);
  const { decisions } = statement.predicate;
  const text = `${decisions} decision${decisions === 1 ? "" : "s"} of ${basename(file)} signed, in ${slashPath(root, signatureOf(file))}`;
  return { exitCode: exitCodes.done, json: { file, signature: signatureOf(file), decisions }, text };
}

/** Mostly nobody vouches for the signer: outside of CI, and in a job that may not ask for a token. */
const identityHint =
  "a CI job has an identity: on GitHub with the permission id-token: write, on GitLab with an id_tokens entry SIGSTORE_ID_TOKEN for sigstore; elsewhere sign with a key (unplugin-kernel cache keygen, then cache sign without --keyless)";

async function keyless(statement: DecisionsStatement, load: LoadSigstore | undefined): Promise<string> {
  const signed = await signKeyless(statement, load);
  if (signed.kind === "signed") return signed.bundle;
  if (signed.kind === "failed") throw refuse("trust.not-signed", `Sigstore does not sign: ${signed.why}`, identityHint);
  const hint = "install it (npm install -D sigstore), or sign with a key";
  throw refuse("trust.no-sigstore", "signing without a key needs package sigstore, which is not installed", hint);
}
