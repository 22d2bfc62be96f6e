// Name of an abstract socket → who listens on it, as far as /proc tells: that of other users and of processes in other
// containers is hidden.

import { readdir, readFile, readlink } from "node:fs/promises";

const unknown = "a process of another user or container";

/** @param name as in the address, without the zero before it and those that fill it up */
export async function socketHolder(name: string): Promise<string> {
  const inode = await inodeOf(name).catch(() => null);
  const pid = inode === null ? null : await ownerOf(inode);
  return pid === null ? unknown : describeProcess(pid);
}

/** "process 4711 (node), since 2026-11-25T01:40:12.000Z" */
export async function describeProcess(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    return `process ${pid}${commandOf(stat, await readFile("/proc/stat", "utf8"))}`;
  } catch {
    return `process ${pid}`;
  }
}

/** Texts of /proc/<pid>/stat and /proc/stat → " (node), since 2026-11-25T01:40:12.000Z"; nothing where they have another form. */
export function commandOf(stat: string, system: string): string {
  const [, command, rest = ""] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
  // Fields after the command, of which the first is the third: the start, in hundredths of a second since the boot.
  const ticks = /^\d{1,15}$/.exec(rest.split(" ")[19] ?? "")?.[0];
  const boot = /^btime (\d{1,11})$/m.exec(system)?.[1];
  if (command === undefined || ticks === undefined || boot === undefined) return "";
  const printable = command.replace(/[^\x20-\x7e]/g, "?");
  return ` (${printable}), since ${new Date((Number(boot) + Number(ticks) / 100) * 1000).toISOString()}`;
}

/** Number of the socket that listens on a name. Line: "0000…: 00000002 00000000 00010000 0001 01 81234 @unplugin-kernel-measure@@@@" */
export async function inodeOf(name: string): Promise<string | null> {
  return inodeIn(await readFile("/proc/net/unix", "utf8"), name);
}

/** Inode of the socket of that name in the text of /proc/net/unix; null: there is none. */
export function inodeIn(text: string, name: string): string | null {
  const line = text.split("\n").find((one) => one.split(" @")[1]?.replace(/@+$/, "") === name);
  const inode = line?.split(" @")[0]?.trim().split(/\s+/).at(-1) ?? "";
  return /^\d+$/.test(inode) ? inode : null;
}

async function ownerOf(inode: string): Promise<number | null> {
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const file of files) {
      const link = await readlink(`/proc/${pid}/fd/${file}`).catch(() => "");
      if (link === `socket:[${inode}]`) return Number(pid);
    }
  }
  return null;
}
