// IR names (`C.i.0`) → JavaScript identifiers, one to one within a function. Identifiers never hold a $, so that helper
// functions, which do, cannot clash with them.

// The globals that generated code uses, the reserved words, and what strict functions may not bind.
const reserved: ReadonlySet<string> = new Set(
  `Math BigInt Infinity NaN undefined Float64Array Float32Array Uint32Array Uint16Array Uint8Array Int32Array Int16Array
  Int8Array BigInt64Array arguments eval await break case catch class const continue debugger default delete do else enum
  export extends false finally for function if implements import in instanceof interface let new null package private
  protected public return static super switch this throw true try typeof var void while with yield`.split(/\s+/),
);

export type Names = (irName: string) => string;

export function createNames(): Names {
  const known = new Map<string, string>();
  const taken = new Set<string>();
  return (irName) => {
    const found = known.get(irName);
    if (found) return found;
    const plain = irName.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d|arg\d)/, "_");
    let name = reserved.has(plain) ? `${plain}_` : plain;
    while (taken.has(name)) name += "_";
    known.set(irName, name);
    taken.add(name);
    return name;
  };
}
