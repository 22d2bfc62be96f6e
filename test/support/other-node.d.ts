/** Path of an executable of another major version; null: there is none here. */
export function otherNode(): string | null;

/** Paths of executables of other major versions, one of each. */
export function otherNodes(): string[];
