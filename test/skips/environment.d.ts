export const names: readonly string[];
export const isCI: boolean;
export function isHere(name: string): boolean;
export function isDeclined(name: string): boolean;
