export function codeCommit(...folders: readonly string[]): string;
