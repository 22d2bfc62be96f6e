// C kernels → the ROM and the code of the emulated machine, compiled with the flags that addons are compiled with; and
// the instructions in that code.

import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import type { CSource, Numerics } from "../../src/compiler/index.ts";
import { compileFlags } from "../../src/native/addon/build.ts";
import { translationUnit } from "../../src/native/addon/translation-unit.ts";
import { packageFile } from "../../src/native/machine/package-file.ts";
import { runCompiler } from "../../src/native/toolchain/run-compiler.ts";
import type { Toolchain } from "../../src/native/toolchain/toolchain.ts";

export interface GuestProgram {
  readonly rom: Buffer;
  readonly code: Buffer;
  readonly instructions: readonly Instruction[];
}

export interface Instruction {
  readonly address: number;
  /** "vmovups %zmm1,(%rax){%k1}" */
  readonly text: string;
  /** "vmovups" */
  readonly name: string;
  /** With a mask register: `vmovups %zmm1,(%rax){%k1}`. */
  readonly isMasked: boolean;
}

const folderHere = "test/emulated";
const files = [`${folderHere}/boot.S`, `${folderHere}/guest.c`, `${folderHere}/guest.h`, `${folderHere}/guest.ld`];

/** No vectors and no calls that C does not say: these run around the kernels. */
const guestFlags = "-std=gnu99 -O2 -ffreestanding -fno-pie -mgeneral-regs-only -fno-tree-loop-distribute-patterns";

/** The guest runs the fast kernels in their order, then the strict ones. */
export async function buildGuest(
  kernels: Readonly<Record<Numerics, readonly CSource[]>>,
  toolchain: Toolchain,
  folder: string,
): Promise<GuestProgram> {
  for (const path of [...files, "src/native/load/kernel-table.h"]) {
    await copyFile(packageFile(path), join(folder, path.split("/").at(-1)!));
  }
  const compile = async (...args: readonly string[]): Promise<void> => {
    const failure = await runCompiler(toolchain, args, { folder, timeoutMs: 600_000 });
    if (failure !== null) throw new Error(failure);
  };
  const objects = ["boot.o", "guest.o"];
  await compile(...guestFlags.split(" "), "-c", "boot.S", "guest.c");
  for (const [numerics, sources] of Object.entries(kernels)) {
    if (sources.length === 0) continue;
    await writeFile(join(folder, `${numerics}.c`), translationUnit(sources));
    const names = [`-Duk_kernels=uk_${numerics}`, `-Duk_kernel_count=uk_${numerics}_count`];
    await compile(...compileFlags(sources[0]!, toolchain), ...names, "-S", `${numerics}.c`);
    const assembly = join(folder, `${numerics}.s`);
    await writeFile(assembly, withLongOffsets(await readFile(assembly, "utf8")));
    await compile("-c", `${numerics}.s`);
    objects.push(`${numerics}.o`);
  }
  await compile("-nostdlib", "-static", "-no-pie", "-Wl,-T,guest.ld,--build-id=none", ...objects, "-o", "guest");
  const [rom, code] = [await section(folder, ".rom"), await section(folder, ".code")];
  return { rom, code, instructions: await disassemble(folder) };
}

/**
 * Bochs 2.7 misreads the offset of two instructions if it is one byte, which EVEX scales by the size of the element. (Of
 * 377 forms, each with an offset of one and of four bytes, these two gave different results.)
 */
const withLongOffsets = (assembly: string): string =>
  assembly.replaceAll(/^\t(vpinsrb|vpextrw)\t(?=.*\()/gm, "\t{disp32} $1\t");

async function section(folder: string, name: string): Promise<Buffer> {
  await execa("objcopy", ["-O", "binary", "-j", name, "guest", `guest${name}`], { cwd: folder });
  return readFile(join(folder, `guest${name}`));
}

async function disassemble(folder: string): Promise<readonly Instruction[]> {
  const args = ["-d", "--no-show-raw-insn", "-j", ".code", "guest"];
  const { stdout } = await execa("objdump", args, { cwd: folder, maxBuffer: 2 ** 30 });
  return stdout.split("\n").flatMap((line) => {
    const [, address, text] = /^\s*([0-9a-f]+):\t(\w.*)$/.exec(line) ?? [];
    if (!address || !text) return [];
    const isMasked = /\{%k[1-7]\}/.test(text);
    return [{ address: Number.parseInt(address, 16), text, name: text.split(/\s/)[0]!, isMasked }];
  });
}
