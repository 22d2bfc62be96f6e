// IR names → C identifiers: `C.acc` → `C_acc`. One identifier a name, never a keyword, never one of the prelude's.

const reserved = new Set(
  `args workspace share shared slot auto break case char const continue default do double else enum extern float for goto if inline int
   long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
   asm typeof linux unix _Bool _Complex _Imaginary main`.split(/\s+/),
);

export type NameKind = "buffer" | "loop" | "local";

/** Gives every name of a kind its identifier; names of different kinds never share one. */
export class Names {
  readonly #taken: Set<string>;
  readonly #known = new Map<string, string>();

  constructor(taken: readonly string[]) {
    this.#taken = new Set([...reserved, ...taken]);
  }

  of(kind: NameKind, name: string): string {
    const key = `${kind} ${name}`;
    const identifier = this.#known.get(key) ?? this.#fresh(name);
    this.#known.set(key, identifier);
    return identifier;
  }

  #fresh(name: string): string {
    let identifier = name.replaceAll(/[^A-Za-z0-9_]/g, "_").replace(/^(?=[0-9]|_|uk_|__builtin)/, "v");
    while (this.#taken.has(identifier)) identifier += "_x";
    this.#taken.add(identifier);
    return identifier;
  }
}
