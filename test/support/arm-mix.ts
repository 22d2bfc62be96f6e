// Inner loops of 64-bit ARM, compiled here or taken out of a library → how many of their instructions multiply, and what the others do.

import { type InnerLoop, multiplyingLoops } from "./inner-loops.ts";

/** One iteration of a loop. */
export interface ArmMix {
  readonly instructions: number;
  /** Instructions that multiply and add vectors. */
  readonly multiplying: number;
  /** Instructions that load vectors, and the bytes that they load. */
  readonly loading: number;
  readonly loadedBytes: number;
  /** Instructions that only ask for what is needed later. */
  readonly prefetching: number;
}

const bytesOfRegister: Readonly<Record<string, number>> = { b: 1, h: 2, s: 4, d: 8, q: 16 };

/** Bytes that an instruction loads into vector registers: `ldp q0, q1`, `ldr d2`, `ld1r {v3.4s}`, `ld1 {v0.4s-v3.4s}`, `ld1 {v0.d}[1]`. */
function loadedBytes(line: string): number {
  const [, repeated, list, lane] = /^\s+ld[1-4](r?)\s+\{([^}]*)\}(\[\d+\])?/.exec(line) ?? [];
  if (list !== undefined) {
    const [, first, last] = /v(\d+)\.\w+\s*-\s*v(\d+)/.exec(list) ?? [];
    const registers = first ? Number(last) - Number(first) + 1 : list.split(",").length;
    const element = bytesOfRegister[/\.\d*([bhsd])/.exec(list)?.[1] ?? ""] ?? 0;
    return registers * (repeated || lane ? element : 16);
  }
  const [, one, other] = /^\s+ld(?:n?p|u?r)\s+([bhsdq])\d+(?:,\s*([bhsdq])\d+)?/.exec(line) ?? [];
  return (bytesOfRegister[one ?? ""] ?? 0) + (bytesOfRegister[other ?? ""] ?? 0);
}

const multiplies = (line: string): boolean =>
  /^\s+(fml[as]|us?dot|sdot|bfdot|bfmmla|us?mmla|smmla|[su]mlal2?|[su]adalp)\s/.test(line);

export function armMix({ instructions }: InnerLoop): ArmMix {
  const bytes = instructions.map(loadedBytes);
  return {
    instructions: instructions.length,
    multiplying: instructions.filter(multiplies).length,
    loading: bytes.filter((it) => it > 0).length,
    loadedBytes: bytes.reduce((sum, it) => sum + it, 0),
    prefetching: instructions.filter((line) => /^\s+prfm\s/.test(line)).length,
  };
}

/** Mix of the loop with the most products; null: nothing multiplies in a loop. */
export const mainMix = (assembler: string): ArmMix | null =>
  multiplyingLoops(assembler)
    .map(armMix)
    .sort((one, other) => other.multiplying - one.multiplying)[0] ?? null;

/** The text of objdump for a function → assembler as a compiler prints it: targets of jumps are labels. */
export function assemblerOfDisassembly(text: string): string {
  const lines = [...text.matchAll(/^\s*([0-9a-f]+):\s+(\S.*)$/gm)].map(([, address, line]) => ({
    address: address!,
    line: line!.replace(/^(b(?:\.[a-z]+)?|cbn?z)(\s+(?:\w+,\s*)?)([0-9a-f]+) <.*$/, "$1$2.L$3"),
  }));
  const jumpedTo = new Set(lines.flatMap(({ line }) => /\.L([0-9a-f]+)$/.exec(line)?.[1] ?? []));
  return lines.map(({ address, line }) => `${jumpedTo.has(address) ? `.L${address}:\n` : ""}\t${line}`).join("\n");
}
