// Ends this process although timers or connections of a library still hold it. One that nothing holds ends before.

/** @param ms time for what is still to be printed, in milliseconds */
export function exitSoon(ms: number): void {
  setTimeout(() => process.exit(), ms).unref();
}
