// What was seen of a case → what is wrong with it. Nothing here depends on the case but what the documentation says of its state.

import { readFileSync } from "node:fs";
import type { LockEntry } from "../../../src/tuner/lock/lock-entry.ts";
import { parseLockfile } from "../../../src/tuner/lock/lockfile.ts";
import { canSign, hasLastingSecret, isOwnStore } from "./lay-configuration.ts";
import { operators, rightResults } from "./operators.ts";
import { lockName, scripts, secrets } from "./project.ts";
import type { Built, Report, Seen } from "./run-case.ts";
import { hasFailed } from "./run-case.ts";
import { deadlineMs, type Ended } from "./run-program.ts";

/** A violated invariant: its name, and what was found. */
export interface Problem {
  readonly invariant: string;
  readonly found: string;
}

type Invariant = (seen: Seen) => readonly string[];

const knownCodes = new Set(
  [...readFileSync(scripts.errors, "utf8").matchAll(/^\| `([a-z-]+\.[a-z-]+)` \|/gm)].map(([, code]) => code!),
);

const allBuilds = ({ first, again }: Seen): readonly Built[] => [...first, ...(again ? [again] : [])];
const said = ({ stdout, stderr }: Ended): string => `${stdout}\n${stderr}`;
const tail = (text: string): string => text.trim().slice(-1500);

/** What is wrong with an error that ends a build; null: it is a diagnostic with a code of the documentation and a hint. */
function wrongError(text: string): string | null {
  const code = [...text.matchAll(/\b([a-z]+\.[a-z-]+): /g)]
    .map(([, name]) => name!)
    .find((name) => knownCodes.has(name));
  if (code === undefined) return `an error without a code of docs/errors.md: ${tail(text)}`;
  if (code === "kernel.bug") return `a bug: ${tail(text)}`;
  return /^ *hint: \S/m.test(text) ? null : `an error without a hint: ${tail(text)}`;
}

/** The program interface has no lock, no store, no remote and no mode: only its kernels are those of a build. */
const isPlugin = ({ drawn }: Seen): boolean => drawn.host !== "api";

const isFrozen = ({ drawn }: Seen): boolean => drawn.mode === "frozen" || drawn.mode === "by CI";

/** Sum of what the summaries of a log say. Null: there is none. */
function measured(built: Built): number | null {
  const counts = [...said(built.ended).matchAll(/(\d+) measured, \d+ compiler run/g)].map(([, count]) => Number(count));
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

const endsWell: Invariant = (seen) =>
  allBuilds(seen).flatMap(({ ended, report }) => {
    if (ended.ms > deadlineMs || ended.exitCode === null) return [`it takes ${ended.ms} ms: ${tail(said(ended))}`];
    if (!report) return [`it dies with exit code ${ended.exitCode}: ${tail(said(ended))}`];
    return [...report.uncaught, ...report.errors.map(wrongError).filter((text) => text !== null)];
  });

const leavesNothing: Invariant = ({ processes, leftovers }) => [
  ...processes.map((line) => `a process is left: ${line}`),
  ...leftovers.map((name) => `a file is left: ${name}`),
];

const computesRight: Invariant = (seen) => {
  const right = JSON.stringify(rightResults(operators[seen.drawn.operator]));
  return allBuilds(seen)
    .filter((built) => !hasFailed(built))
    .flatMap(({ printed }) => {
      if (printed === null || typeof printed === "string") return [`the program fails: ${tail(String(printed))}`];
      if (JSON.stringify(printed.results) !== right)
        return [`twin ${printed.twin} computes ${JSON.stringify(printed.results)}`];
      return printed.intact ? [] : [`twin ${printed.twin} wrote beside its output`];
    });
};

/** What `plants` put into binaries and scripts. */
const plantedText = "planted";

const shipsNothingPlanted: Invariant = ({ plantedRan, files }) => [
  ...(plantedRan ? ["planted code ran"] : []),
  ...[...files]
    .filter(([name, bytes]) => name.startsWith("out") && bytes.includes(plantedText))
    .map(([name]) => `${name} is planted`),
];

/** Entries by name; null: a build cannot read the file. */
function entriesOf(state: string): ReadonlyMap<string, unknown> | null {
  const text = state.replace(/^a link to [^:]*: /, "");
  if (text === "absent") return new Map();
  if (text === "a folder") return null;
  const content = parseLockfile(text, lockName);
  return content.kind === "ok" ? content.entries : null;
}

const keepsTheLock: Invariant = (seen) => {
  const { lockBefore, lockAfter, kernel } = seen;
  if (lockBefore === lockAfter) return [];
  const before = entriesOf(lockBefore);
  if (before === null) return [`a lock that cannot be read was changed into ${tail(lockAfter)}`];
  if (isFrozen(seen)) return [`a frozen build changed the lock into ${tail(lockAfter)}`];
  if (lockBefore.startsWith("a link") && !lockAfter.startsWith("a link")) return ["the lock is no link any more"];
  const after = entriesOf(lockAfter);
  if (after === null) return [`the lock cannot be read any more: ${tail(lockAfter)}`];
  return [...before]
    .filter(([name, entry]) => name !== kernel && JSON.stringify(after.get(name)) !== JSON.stringify(entry))
    .map(([name]) => `the lock lost or changed ${name}`);
};

const freezes: Invariant = (seen) => {
  if (!isFrozen(seen)) return [];
  const counts = allBuilds(seen).map(measured);
  const isChanged = seen.decisionsBefore.join() !== seen.decisionsAfter.join();
  return [
    ...counts.filter((count) => (count ?? 0) > 0).map((count) => `a frozen build measured ${count}`),
    ...(isChanged
      ? [
          `a frozen build changed the decisions of the store: ${seen.decisionsBefore.length} → ${seen.decisionsAfter.length}`,
        ]
      : []),
  ];
};

/** Whether a build can keep what it measured, in the lock or in the store. */
const canKeep = ({ drawn, lockAfter, kernel }: Seen): boolean =>
  (hasLastingSecret(drawn) || entriesOf(lockAfter)?.has(kernel) === true) &&
  (drawn.lock !== "in a read-only folder" || !(drawn.store.endsWith("read-only") || drawn.store.endsWith("a file")));

const isTheSameAgain: Invariant = (seen) => {
  const { first, again, drawn } = seen;
  if (!again) return [];
  if (hasFailed(again))
    return [`the same build fails again: ${tail((again.report as Report | null)?.errors.join("\n") ?? "")}`];
  if (!isPlugin(seen) && drawn.mode !== "predict") return [];
  if (!canKeep(seen) || drawn.store === "below a file") return [];
  const count = measured(again);
  const wrong = count === 0 || !isPlugin(seen) ? [] : [`the same build again measured ${count}`];
  if (first.length > 1) return wrong;
  const differing = Object.keys({ ...first[0]!.output, ...again.output }).filter(
    (name) => first[0]!.output[name] !== again.output[name],
  );
  return [
    ...wrong,
    ...(differing.length > 0 ? [`the same build again gives other bytes: ${differing.join(", ")}`] : []),
  ];
};

const staysOffline: Invariant = ({ drawn, asked, first, again }) => {
  const isOffline = drawn.offline !== "no" || drawn.remote === "none" || drawn.host === "api";
  const connections = [...first, ...(again ? [again] : [])].flatMap(({ report }) => report?.connections ?? []);
  if (isOffline && asked.length + connections.length > 0)
    return [`a build asked ${[...asked, ...connections].join(", ")}`];
  const elsewhere = connections.filter((address) => !/^(127\.0\.0\.1|localhost):/.test(address));
  return elsewhere.map((address) => `a build connected to ${address}`);
};

/** What `verify` may find wrong: it is in the state. */
function isPlanted({ drawn, kernel, lockAfter, first }: Seen): boolean {
  return (
    first.some(hasFailed) ||
    (drawn.trust === "required" && drawn.lock !== "signed") ||
    !["right", "absent", "is slow"].includes(drawn.compiler) ||
    entriesOf(lockAfter)?.has(kernel) !== true ||
    !["right", "signed"].includes(drawn.lock)
  );
}

const verifies: Invariant = (seen) => {
  const { exitCode, ms } = seen.verify;
  const text = said(seen.verify);
  if (exitCode === null || ms > deadlineMs) return [`verify takes ${ms} ms: ${tail(text)}`];
  if (/^\s+at \S+ ?\(?\S+:\d+:\d+/m.test(text) || /please report/.test(text))
    return [`verify fails by a bug: ${tail(text)}`];
  if (exitCode === 0) return [];
  if (!isPlanted(seen)) return [`verify finds something wrong that is not: ${tail(text)}`];
  return /kernels\.lock\.json|tiny\.op\.ts|gcc|trust/.test(text) ? [] : [`verify names nothing: ${tail(text)}`];
};

const keepsSecrets: Invariant = (seen) => {
  const texts: readonly (readonly [string, Buffer | string])[] = [
    ...seen.files,
    ["verify's output", said(seen.verify)],
    ...allBuilds(seen).map(({ ended }) => ["a build's output", said(ended)] as const),
  ];
  return texts.flatMap(([name, text]) =>
    Object.entries(secrets)
      .filter(([, secret]) => text.includes(secret))
      .map(([secret]) => `${name} has the ${secret}`),
  );
};

/** Most GFLOP/s that a kernel of this size can have here: the forged ones have a million. */
const mostGflops = 10_000;

const believesNoClaim: Invariant = (seen) => {
  if (seen.drawn.lock === "with forged figures") return [];
  return allBuilds(seen)
    .map(({ printed }) => (typeof printed === "object" ? (printed?.gflops ?? 0) : 0))
    .filter((gflops) => gflops > mostGflops)
    .map((gflops) => `info.gflops is ${gflops}`);
};

/** Locks whose entry a frozen build would take, if it need not be signed. */
const usableLocks: readonly string[] = ["right", "signed with another key", "with CRLF", "read-only", "a link to it"];

const demandsSignatures: Invariant = (seen) => {
  const { drawn, kernel, lockBefore, lockAfter } = seen;
  if (!isPlugin(seen)) return [];
  if (isFrozen(seen)) {
    if (drawn.trust !== "required") return [];
    const taken = allBuilds(seen).filter((built) => !hasFailed(built));
    if (usableLocks.includes(drawn.lock))
      return taken.map(() => "a frozen build took an entry that no listed key signed");
    const isRefused = seen.first.some(({ report }) => report?.errors.some((text) => text.includes("trust.refused")));
    return drawn.lock === "signed" && isRefused ? ["a frozen build refused an entry that a listed key signed"] : [];
  }
  const [before, after] = [lockBefore, lockAfter].map(
    (state) => entriesOf(state)?.get(kernel) as LockEntry | undefined,
  );
  if (after === undefined || JSON.stringify(before) === JSON.stringify(after)) return [];
  const isSigned = after.signature !== undefined;
  if (isSigned && !canSign(drawn)) return ["an entry was signed without a key"];
  const isAlone = drawn.pack === "none" && drawn.remote === "none" && isOwnStore(drawn);
  const isOwn = isAlone && drawn.mode === "tune";
  return isOwn && canSign(drawn) && !isSigned ? ["an entry of this build was not signed"] : [];
};

const invariants: Readonly<Record<string, Invariant>> = {
  "a build ends with success or a diagnostic": endsWell,
  "nothing is left": leavesNothing,
  "the kernel computes what the reference does": computesRight,
  "nothing planted runs or ships": shipsNothingPlanted,
  "the lock loses nothing": keepsTheLock,
  "frozen changes and measures nothing": freezes,
  "the same build again is the same": isTheSameAgain,
  "offline asks nobody": staysOffline,
  "verify agrees": verifies,
  "secrets are nowhere": keepsSecrets,
  "claims are not believed": believesNoClaim,
  "signatures are demanded and made": demandsSignatures,
};

export const checkCase = (seen: Seen): readonly Problem[] =>
  Object.entries(invariants).flatMap(([invariant, check]) => check(seen).map((found) => ({ invariant, found })));
