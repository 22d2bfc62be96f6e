/** Path of an executable of another major version; null: there is none here. */
export function otherNode(): string | null;
