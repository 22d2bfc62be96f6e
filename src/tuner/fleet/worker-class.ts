// Hardware class of a worker: the facts that must agree before two machines serve one queue, and its registration, by which
// coordinators find it. Facts → the class's hash, which names the queue.

import {
  codegenVersion,
  needsToolchain,
  sha256,
  type Target,
  type TargetName,
  targetNames,
} from "../../compiler/index.ts";
import { hostTarget, type Machine, whyNotMeasuredHere } from "../../native/machine/machine.ts";
import { canonicalJson } from "../data/key.ts";
import { type Decode, integer, list, nullable, object, oneOf, text } from "../support/strict.ts";
import { type FleetKey, nameOfKey } from "./seal.ts";

/** Version of jobs, results and the order of steps. Other versions have queues of their own. */
export const fleetProtocol = 3;

export interface WorkerClass {
  readonly protocol: typeof fleetProtocol;
  readonly codegen: string;
  readonly platform: string;
  readonly features: readonly string[];
  readonly caches: Machine["caches"];
  /** Targets whose kernels the worker measures. */
  readonly targets: readonly TargetName[];
  /** Meaning of `native` on this worker: the best of `targets`. */
  readonly native: TargetName;
  /** Identity of the compiler; null: there is none, and only WASM is measured. */
  readonly toolchain: string | null;
  /** Word that the worker's owner adds where machines differ in what no file tells, such as a power limit. */
  readonly label: string;
}

export interface Registration {
  readonly kind: "worker";
  readonly id: string;
  readonly cores: number;
  readonly of: WorkerClass;
}

const bytes = integer(0, 2 ** 40);
const word = text(60, /^[\w.:@-]*$/, "a word of letters, digits and . : @ - _");

const decodeClass: Decode<WorkerClass> = object<WorkerClass>({
  protocol: oneOf(fleetProtocol),
  codegen: text(100),
  platform: word,
  features: list(word, 500),
  caches: nullable(object<NonNullable<Machine["caches"]>>({ l1Bytes: bytes, l2Bytes: bytes, l3Bytes: bytes })),
  targets: list(oneOf(...targetNames), 20),
  native: oneOf(...targetNames),
  toolchain: nullable(text(200)),
  label: word,
});

export const decodeRegistration: Decode<Registration> = object<Registration>({
  kind: oneOf("worker"),
  id: word,
  cores: integer(1, 65_536),
  of: decodeClass,
});

export const classHash = (of: WorkerClass): string => sha256(canonicalJson(of)).slice(0, 32);

/**
 * Name of the class's queue: one for each secret, so that no worker with another one takes a job only to refuse it, as while secrets are
 * changed. BullMQ allows no colon in it.
 */
export const queueOf = (hash: string, key: FleetKey): string =>
  key === null ? `measure-${hash}` : `measure-${hash}-${nameOfKey(key)}`;

export interface ClassOptions {
  /** Targets to serve; default: all that the machine runs. */
  readonly targets?: readonly TargetName[];
  readonly label?: string;
}

/** Makes the class of a machine, or null where it can run none of the targets. */
export function classOf(
  machine: Machine,
  toolchain: string | null,
  { targets = targetNames, label = "" }: ClassOptions = {},
): WorkerClass | null {
  const runs = (name: TargetName): boolean => {
    const target = hostTarget(name, machine);
    return whyNotMeasuredHere(target, machine) === null && (toolchain !== null || !needsToolchain(target));
  };
  const served = targetNames.filter((name) => targets.includes(name) && runs(name));
  const native = served.at(-1);
  if (native === undefined) return null;
  const { platform, features, caches } = machine;
  const facts = { codegen: codegenVersion, platform, features, caches, targets: served };
  return { protocol: fleetProtocol, ...facts, native, toolchain, label };
}

/** Machine that stands for all of a class: what a coordinator needs to make its targets. */
export const machineOf = ({ platform, features, caches }: WorkerClass, cores: number): Machine => ({
  platform,
  features,
  caches,
  cores,
});

/** Target of a class with a number of threads; null: the class does not serve it. */
export function targetOfClass(of: WorkerClass, name: TargetName, threads: number): Target | null {
  return of.targets.includes(name) ? { ...hostTarget(name, machineOf(of, 1)), threads } : null;
}
