// Mach-O files, as far as a loader of macOS asks: the processor, the libraries, the symbols. Layouts: <mach-o/loader.h>, <mach-o/nlist.h>.

export interface MachO {
  readonly processor: "x64" | "arm64";
  readonly libraries: readonly string[];
  /** Whether it carries a signature; processors of Apple load no code without one. */
  readonly isSigned: boolean;
  readonly defined: readonly string[];
  /** Symbols that one of `libraries` has. */
  readonly fromLibraries: readonly string[];
  /** Symbols that are looked for in all that the process has loaded. */
  readonly fromAnywhere: readonly string[];
}

const processors = { 16777223: "x64", 16777228: "arm64" } as const;
const commands = { symbols: 0x02, library: 0x0c, signature: 0x1d };
const headerBytes = 32;
const symbolBytes = 16;
/** In place of a library's number, for -undefined dynamic_lookup: Apple's linker writes 0xfe, zig's 0. What dyld reads says the same of both. */
const anywhere: readonly number[] = [0, 0xfe];

/** @throws Error for what is no 64-bit library or bundle in Mach-O */
export function readMachO(file: Buffer): MachO {
  if (file.readUInt32LE(0) !== 0xfeedfacf) throw new Error("no 64-bit Mach-O");
  const processor = processors[file.readUInt32LE(4) as keyof typeof processors];
  if (!processor) throw new Error(`for another processor: ${file.readUInt32LE(4)}`);
  const all = loadCommands(file);
  const only = (kind: number): Buffer | undefined => all.find((it) => it.readUInt32LE(0) === kind);
  const symbols = symbolsOf(file, only(commands.symbols)!);
  return {
    processor,
    libraries: all.filter((it) => it.readUInt32LE(0) === commands.library).map((it) => textAt(it, it.readUInt32LE(8))),
    isSigned: only(commands.signature) !== undefined,
    defined: symbols.filter(({ library }) => library === null).map(({ name }) => name),
    fromLibraries: symbols
      .filter(({ library }) => library !== null && !anywhere.includes(library))
      .map(({ name }) => name),
    fromAnywhere: symbols
      .filter(({ library }) => library !== null && anywhere.includes(library))
      .map(({ name }) => name),
  };
}

function loadCommands(file: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let at = headerBytes; found.length < file.readUInt32LE(16); at += file.readUInt32LE(at + 4))
    found.push(file.subarray(at, at + file.readUInt32LE(at + 4)));
  return found;
}

const textAt = (bytes: Buffer, at: number): string => bytes.toString("latin1", at, bytes.indexOf(0, at));

/** Symbols that other files may see. */
function symbolsOf(file: Buffer, command: Buffer) {
  const [at, count, names] = [8, 12, 16].map((offset) => command.readUInt32LE(offset)) as [number, number, number];
  return Array.from({ length: count }, (_, index) => file.subarray(at + index * symbolBytes))
    .filter((symbol) => (symbol.readUInt8(4) & 0x01) !== 0)
    .map((symbol) => ({
      name: textAt(file, names + symbol.readUInt32LE(0)),
      // Number of the library that has it; null: the file defines it itself.
      library: (symbol.readUInt8(4) & 0x0e) === 0 ? symbol.readUInt16LE(6) >> 8 : null,
    }));
}
