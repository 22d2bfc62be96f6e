// A command of the system from start to end, without a shell: its name and arguments → nothing, or why it failed.

/** Runs a command that is found on the PATH. Returns null, or why it failed: the last line that it printed. */
export async function runCommand(
  name: string,
  args: readonly string[],
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<string | null> {
  const { execa } = await import("execa");
  const options = { reject: false, stdin: "ignore", ...(signal && { cancelSignal: signal }) } as const;
  const { failed, exitCode, stderr, shortMessage, code } = await execa(name, args, options);
  if (!failed) return null;
  if (code === "ENOENT") return `there is no ${name} on the PATH`;
  const last = stderr.trim().split("\n").at(-1);
  return exitCode === undefined || !last ? (shortMessage ?? `${name} failed`) : last;
}
