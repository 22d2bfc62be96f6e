// IR names (`C.sum.acc`) → identifiers of WGSL, one to one within a text. All end with an underscore, as no word of the language
// and no helper does, and begin with a letter: the language keeps names that begin with two underscores.

export function createNames(): (irName: string) => string {
  const known = new Map<string, string>();
  const taken = new Set<string>();
  return (irName) => {
    const found = known.get(irName);
    if (found !== undefined) return found;
    const plain = irName.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=[\d_])/, "v");
    let name = `${plain}_`;
    while (taken.has(name)) name += "_";
    known.set(irName, name);
    taken.add(name);
    return name;
  };
}
