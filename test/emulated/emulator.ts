// Bochs, which emulates a CPU with AVX-512: a ROM, code and data → the data after the guest has stopped. Debian's package has
// the debugger in it, which writes memory to a file. BOCHS names another bochs; docs/adding/target.md says how to make one
// that has AMX and BF16.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { codeAt, dataAt, guestMiB } from "./memory-image.ts";

/** A Skylake-X, one that has VNNI beside AVX-512, and one that has BF16 and AMX too. */
export type CpuModel = "corei7_skylake_x" | "corei7_icelake_u" | "sapphire_rapids";
const packages = "apt-get install bochs bochs-term";
const bochs = process.env.BOCHS ?? "bochs";

// An option that only a bochs with the debugger knows, and how newer ones are told to start it.
const debuggerOption = "-rc filename";
const debuggerFlag = "-debugger ";

/** Why there is no emulator; null if there is one. */
export async function emulatorSkipReason(model: CpuModel): Promise<string | null> {
  const [options, models] = await Promise.all([help(), help("cpu")]);
  if (options === null || models === null) return `no bochs (${packages})`;
  if (!models.split("\n").includes(model)) return `this bochs has no ${model}`;
  return options.includes(debuggerOption) ? null : "this bochs has no debugger";
}

async function help(...topic: readonly string[]): Promise<string | null> {
  const result = await execa(bochs, ["--help", ...topic], { reject: false, all: true, stdin: "ignore" });
  return result.failed ? null : result.all;
}

export interface Guest {
  /** Boot image of 64 KiB, of which the last 16 bytes are the reset vector. */
  readonly rom: Uint8Array;
  /** Bytes for the addresses `codeAt` and `dataAt`. */
  readonly code: Uint8Array;
  readonly data: Uint8Array;
}

// The terminal is the one display that needs no window and opens no port.
const configuration = (model: CpuModel): string => `
cpu: model=${model}, count=1, ips=50000000
memory: guest=${guestMiB}, host=${guestMiB}
romimage: file=rom
vgaromimage: file=vga
optramimage1: file=image, address=${codeAt}
magic_break: enabled=1
port_e9_hack: enabled=1
display_library: term
config_interface: textconfig
boot: floppy
log: log
`;

/** Signature, one block of 512 bytes, a checksum of 0; the guest never calls it. */
const noVgaRom = Buffer.alloc(512);
noVgaRom.set([0x55, 0xaa, 1]);

/** Runs the guest until it stops in the debugger. Throws what the emulator said if it does not, or is not done in time. */
export async function emulate(
  { rom, code, data }: Guest,
  model: CpuModel,
  folder: string,
  timeoutMs: number,
): Promise<Buffer> {
  const gap = Buffer.alloc(dataAt - codeAt - code.length);
  const files = { rom, vga: noVgaRom, image: Buffer.concat([code, gap, data]), configuration: configuration(model) };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const flags = (await help())?.includes(debuggerFlag) ? [debuggerFlag.trim()] : [];
  const result = await execa("nice", ["-n", "19", bochs, "-q", ...flags, "-f", "configuration"], {
    cwd: folder,
    env: { TERM: "vt100" },
    input: `continue\nwritemem "after" ${dataAt} ${data.length}\nquit\n`,
    reject: false,
    all: true,
    timeout: timeoutMs,
    forceKillAfterDelay: 500,
  });
  const after = await readFile(join(folder, "after")).catch(() => null);
  if (after?.length === data.length) return after;
  const why = result.timedOut ? `did not end within ${timeoutMs} ms` : "failed";
  throw new Error(`the emulator ${why}:\n${result.all.slice(-2000)}`);
}
