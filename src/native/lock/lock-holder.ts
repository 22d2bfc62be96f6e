// The text of a lock file → its holder, as far as the text can be trusted: anybody may have written it.

import { isRunning, isSameSpace, type ProcessSpace, processSpace } from "../process/process-identity.ts";

export interface Holder extends ProcessSpace {
  readonly token: string;
  readonly pid: number;
  readonly since: string;
}

/** Parses a lock file; null: it names nobody. */
export function holderOf(text: string): Holder | null {
  try {
    const { token, pid, since, host, boot, namespace } = JSON.parse(text);
    const texts = [token, since, host, boot, namespace];
    if (!Number.isInteger(pid) || pid < 1 || texts.some((it) => typeof it !== "string")) return null;
    return { token, pid, since, host, boot, namespace };
  } catch {
    return null;
  }
}

/** Says whether the holder's process is known to have ended. */
export const isDead = (holder: Holder | null): boolean =>
  holder !== null && isSameSpace(holder, processSpace()) && !isRunning(holder.pid);

const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?").slice(0, 80);

/** Names the holder for those who wait. */
export const describeHolder = (holder: Holder | null): string =>
  holder === null
    ? "an unknown process"
    : `process ${holder.pid}${holder.host === processSpace().host ? "" : ` of ${printable(holder.host)}`}, since ${printable(holder.since)}`;
