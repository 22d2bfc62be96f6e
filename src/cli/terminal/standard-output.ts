// Standard output that does not take what is written: a reader that has left, as `| head -1` does, or a full disk.

/** Makes a reader that has left no failure, and any other an error of one line, with exit code 1, in place of a stack. */
export function watchStandardOutput(): void {
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") return;
    process.stderr.write(`standard output cannot be written: ${message}\n`);
    process.exitCode = 1;
  });
}
