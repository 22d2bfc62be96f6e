// A right lock file → the lock file of a case.

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeLockEntry, lockEntryJson } from "../../../src/tuner/lock/lock-entry.ts";
import type { SigningKey } from "../../../src/tuner/trust/keys.ts";
import { signEntry } from "../../../src/tuner/trust/lock-signature.ts";
import type { BuildCase } from "./dimensions.ts";
import { lockName } from "./project.ts";
import { drawnKey, strangersKey } from "./signing-keys.ts";

interface Entry {
  readonly op: { readonly digest: string };
  readonly target: { readonly l2Bytes: number };
  readonly candidate: { readonly assignment: Readonly<Record<string, number>> };
  readonly measured: object;
}
interface Lock {
  readonly schema: number;
  readonly kernels: Readonly<Record<string, Entry>>;
}

/** Entry of a kernel that the project does not import: no build may lose it. */
export const otherKernel = "src/elsewhere.op.ts?tune=wasm";

const printed = (lock: object): string => `${JSON.stringify(lock, null, 2)}\n`;

/** Edits the entry of the kernel that is built. */
const edited =
  (edit: (entry: Entry) => object) =>
  ({ schema, kernels }: Lock): string =>
    printed({
      schema,
      kernels: Object.fromEntries(
        Object.entries(kernels).map(([name, entry]) => [name, name === otherKernel ? entry : edit(entry)]),
      ),
    });

/** Signs what a lock means: its text may say the same in another way. */
function signedWith(key: SigningKey): (lock: Lock) => string {
  return edited((entry) => lockEntryJson(signEntry(decodeLockEntry(entry, []), key)));
}

/** Another value for the first decision that has one. */
function otherAssignment({ candidate }: Entry): Entry["candidate"]["assignment"] {
  const [name, value] = Object.entries(candidate.assignment)[0]!;
  return { ...candidate.assignment, [name]: value + 1 };
}

const texts: { readonly [lock in BuildCase["lock"]]?: (lock: Lock) => string } = {
  right: printed,
  signed: signedWith(drawnKey),
  "signed with another key": signedWith(strangersKey),
  "of another kernel": ({ schema, kernels: { [otherKernel]: other } }) =>
    printed({ schema, kernels: { [otherKernel]: other } }),
  "of a changed operator": edited((entry) => ({ ...entry, op: { ...entry.op, digest: "1".repeat(64) } })),
  "of another code generator": edited((entry) => ({ ...entry, codegen: "0" })),
  "of other caches": edited((entry) => ({ ...entry, target: { ...entry.target, l2Bytes: entry.target.l2Bytes * 2 } })),
  "with conflict marks": (lock) => {
    const lines = printed(lock).split("\n");
    const middle = [...lines.slice(3, 6), "=======", ...lines.slice(3, 6)];
    return [...lines.slice(0, 3), "<<<<<<< ours", ...middle, ">>>>>>> theirs", ...lines.slice(6)].join("\n");
  },
  "cut short": (lock) => printed(lock).slice(0, 700),
  "with an edited assignment": edited((entry) => ({
    ...entry,
    candidate: { ...entry.candidate, assignment: otherAssignment(entry) },
  })),
  "with an edited digest": edited((entry) => ({ ...entry, source: "0".repeat(64) })),
  "with forged figures": edited((entry) => ({
    ...entry,
    measured: { ...entry.measured, medianNs: 1e-9, gflops: 1e9 },
  })),
  "with an extra field": edited((entry) => ({ ...entry, extra: 1 })),
  "with an extra first field": (lock) => printed({ extra: 1, ...lock }),
  "with CRLF": (lock) => printed(lock).replaceAll("\n", "\r\n"),
  "with a BOM": (lock) => `\ufeff${printed(lock)}`,
  "of another schema": ({ kernels }) => printed({ schema: 2, kernels }),
  "of no bytes": () => "",
  "read-only": printed,
  "in a read-only folder": printed,
  "a link to it": printed,
};

/** @param right text of a lock that decides the kernel */
export function layLock(root: string, kind: BuildCase["lock"], right: string): void {
  const path = join(root, lockName);
  const { schema, kernels } = JSON.parse(right) as Lock;
  const [entry] = Object.values(kernels);
  const other = { ...entry!, op: { ...entry!.op, digest: "2".repeat(64) } };
  const text = texts[kind]?.({ schema, kernels: { [otherKernel]: other, ...kernels } });
  const target = join(root, "linked.json");
  if (kind === "a folder in its place") mkdirSync(path);
  else if (kind === "a link to it" || kind === "a link to nothing") symlinkSync(target, path);
  if (text !== undefined) writeFileSync(kind === "a link to it" ? target : path, text);
  if (kind === "read-only") chmodSync(path, 0o444);
}
