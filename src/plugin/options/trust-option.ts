// Option `trust` as given → its complete form, and what is wrong with one. It reads neither keys nor files: builds without
// anything signed do not need them.

import type { TrustIdentity, TrustRequirement } from "./types.ts";

/** Option `trust`, complete. */
export interface ResolvedTrust {
  /** Lines that `cache keygen` printed. */
  readonly keys: readonly string[];
  /** Ids of keys. */
  readonly revoked: readonly string[];
  readonly require: readonly TrustRequirement[];
  readonly identities: readonly TrustIdentity[];
  /** Path of `trusted_root.json`; null: no keyless signature is trusted. */
  readonly trustedRoot: string | null;
}

export const trustRequirements: readonly TrustRequirement[] = ["decision", "binary"];

const keyForm = /^ed25519:([a-z0-9][a-z0-9._-]{0,63}):([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/;
const idForm = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const wantedTrust = "a list of public keys, or { keys, revoked, require, identities, trustedRoot }";

const isText = (value: unknown): value is string => typeof value === "string" && value !== "" && value.length <= 2000;

/** Each id once, as a signature names its key by it alone, and each key: under a second id it would outlive the first one's revocation. */
function areKeys(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const found = Array.from(value, (key) => keyForm.exec(isText(key) ? key : ""));
  const isOnce = (part: 1 | 2): boolean => new Set(found.map((parts) => parts?.[part])).size === found.length;
  return !found.includes(null) && isOnce(1) && isOnce(2);
}

/** A hole is an item, which `every` would leave out. */
const isListOf = (value: unknown, holds: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && Array.from(value).every(holds);

/** An object with fields of its own alone. A promise or a Map has none, and would stand for a policy that wants nothing. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  // Configurations are also loaded in a context of their own, which has another Object.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const isIdentity = (value: unknown): boolean =>
  isPlain(value) && Object.keys(value).sort().join() === "identity,issuer" && Object.values(value).every(isText);

const parts: Readonly<Record<keyof ResolvedTrust, (value: unknown) => boolean>> = {
  keys: areKeys,
  revoked: (value) => isListOf(value, (id) => isText(id) && idForm.test(id)),
  require: (value) => isListOf(value, (item) => trustRequirements.some((one) => one === item)),
  identities: (value) => isListOf(value, isIdentity),
  trustedRoot: isText,
};

export function isTrust(value: unknown): boolean {
  if (Array.isArray(value)) return areKeys(value);
  if (!isPlain(value)) return false;
  return Object.entries(value).every(
    ([name, part]) => Object.hasOwn(parts, name) && (part === undefined || parts[name as keyof ResolvedTrust](part)),
  );
}

/** Most letters of a text that are shown: enough to know what it is, and of a private key no more than its kind. */
const mostShown = 16;

/** Cuts each text of a wrong value: a private key may stand where a public one is wanted, and messages end up in logs. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === "string") return value.length > mostShown ? `${value.slice(0, mostShown)}…` : value;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  if (!isPlain(value)) return String(value);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutSecrets(part)]));
}

/** Whether anybody's signature counts. */
export const hasSigners = ({ keys, identities }: ResolvedTrust): boolean => keys.length + identities.length > 0;

type TrustOption = readonly string[] | Partial<ResolvedTrust>;

/** @param pathOf makes a path absolute */
export function resolveTrust(option: TrustOption | undefined, pathOf: (path: string) => string): ResolvedTrust {
  const {
    keys = [],
    revoked = [],
    require = [],
    identities = [],
    trustedRoot = null,
  } = isList(option) ? { keys: option } : (option ?? {});
  return { keys, revoked, require, identities, trustedRoot: trustedRoot === null ? null : pathOf(trustedRoot) };
}

const isList = (option: TrustOption | undefined): option is readonly string[] => Array.isArray(option);
