// Libraries of Windows, as far as its loader asks: the processor, the files that functions come from, what others find. Layout: Microsoft, PE
// Format.

export interface PortableExecutable {
  readonly processor: "x64" | "arm64";
  /** Functions by the file that has them: "NODE.EXE" → napi_create_function, … */
  readonly imports: Readonly<Record<string, readonly string[]>>;
  /** Functions that others find by name. */
  readonly exports: readonly string[];
}

const processors = { 34404: "x64", 43620: "arm64" } as const;
const sectionBytes = 40;
const importBytes = 20;

/** @throws Error for what is no 64-bit executable or library of Windows */
export function readPortableExecutable(file: Buffer): PortableExecutable {
  const header = file.readUInt32LE(0x3c);
  if (file.toString("latin1", header, header + 4) !== "PE\0\0") throw new Error("no PE");
  const processor = processors[file.readUInt16LE(header + 4) as keyof typeof processors];
  if (!processor || file.readUInt16LE(header + 24) !== 0x20b) throw new Error("no 64-bit PE");
  const at = addresses(file, header);
  const text = (address: number): string => file.toString("latin1", at(address), file.indexOf(0, at(address)));
  const imports: Record<string, readonly string[]> = {};
  const table = file.readUInt32LE(header + 24 + 120);
  for (let entry = at(table); file.readUInt32LE(entry + 12) !== 0; entry += importBytes) {
    const names: string[] = [];
    // A name comes behind two bytes of a hint.
    for (let slot = at(file.readUInt32LE(entry)); file.readBigUInt64LE(slot) !== 0n; slot += 8)
      names.push(text(file.readUInt32LE(slot) + 2));
    imports[text(file.readUInt32LE(entry + 12))] = names;
  }
  const own = at(file.readUInt32LE(header + 24 + 112));
  const names = at(file.readUInt32LE(own + 32));
  const exports = Array.from({ length: file.readUInt32LE(own + 24) }, (_, index) =>
    text(file.readUInt32LE(names + index * 4)),
  );
  return { processor, imports, exports };
}

/** Address in memory → place in the file, by the table of sections. */
function addresses(file: Buffer, header: number): (address: number) => number {
  const first = header + 24 + file.readUInt16LE(header + 20);
  const sections = Array.from({ length: file.readUInt16LE(header + 6) }, (_, index) => {
    const at = first + index * sectionBytes;
    const [size, address, bytes, place] = [8, 12, 16, 20].map((offset) => file.readUInt32LE(at + offset));
    return { address: address!, end: address! + Math.max(size!, bytes!), place: place! };
  });
  return (wanted) => {
    const section = sections.find(({ address, end }) => wanted >= address && wanted < end);
    if (!section) throw new Error(`no section has address ${wanted}`);
    return wanted - section.address + section.place;
  };
}
