// IR names (`C.sum.acc`) → identifiers of CUDA C, one to one within a function. All end with an underscore, as no word of the
// language, no variable of the machine and no helper does.

export function createNames(): (irName: string) => string {
  const known = new Map<string, string>();
  const taken = new Set<string>();
  return (irName) => {
    const found = known.get(irName);
    if (found !== undefined) return found;
    const plain = irName.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_");
    let name = `${plain}_`;
    while (taken.has(name)) name += "_";
    known.set(irName, name);
    taken.add(name);
    return name;
  };
}
