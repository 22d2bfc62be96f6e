// Limit of a kernel's run in a check, and the words for one that exceeds it: it counts as not checked.

/** Longest time of a kernel in a check, in milliseconds. */
export const checkDeadlineMs = 20_000;

export const tooSlow = (deadlineMs: number): string => `it did not come back within ${deadlineMs / 1000} s`;
