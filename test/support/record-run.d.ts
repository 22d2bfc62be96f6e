export function testedCommit(): string;
export function recordRun(command: string, result: string): void;
export function npmRun(script: string, args?: readonly string[]): string;
export function resultOf(status: number | null): string;
