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
    const end = stat.lastIndexOf(")");
    const command = stat.slice(stat.indexOf("(") + 1, end);
    // Fields after the command, of which the first is the third: the start, in hundredths of a second since the boot.
    const ticks = Number(stat.slice(end + 2).split(" ")[19]);
    const [, boot] = /^btime (\d+)$/m.exec(await readFile("/proc/stat", "utf8")) ?? [];
    return `process ${pid} (${command}), since ${new Date((Number(boot) + ticks / 100) * 1000).toISOString()}`;
  } catch {
    return `process ${pid}`;
  }
}

/** Line of a listening socket: "0000…: 00000002 00000000 00010000 0001 01 81234 @unplugin-kernel-measure@@@@" */
async function inodeOf(name: string): Promise<string | null> {
  const lines = (await readFile("/proc/net/unix", "utf8")).split("\n");
  const line = lines.find((one) => one.split(" @")[1]?.replace(/@+$/, "") === name);
  if (line === undefined) return null;
  return line.split(" @")[0]!.trim().split(/\s+/).at(-1)!;
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
