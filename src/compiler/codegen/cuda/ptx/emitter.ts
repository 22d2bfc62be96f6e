// Instructions of one PTX function as they are printed: registers, and blocks of lines within each other. An instruction that only computes is
// printed once for the same operands. One on indices goes to the outermost block that has its operands, so it leaves the loops that do not
// change it.

/** Kinds of registers, by what they hold: predicates, bits of 16, 32 and 64, and floats. */
export type RegisterKind = "pred" | "b16" | "b32" | "b64" | "f32" | "f64";

/** A register or a constant. */
export interface Value {
  readonly kind: RegisterKind;
  readonly text: string;
  /** Number of the block, counted from the outermost, in which it is first known; constants are known in all. */
  readonly depth: number;
  /** Whether it never changes: variables do. */
  readonly isFixed: boolean;
}

interface Block {
  readonly lines: string[];
  /** Results of instructions, by their text. */
  readonly known: Map<string, Value>;
}

export interface Emitter {
  /** A register of its own, which an instruction of the innermost block sets once. */
  register(kind: RegisterKind): Value;
  /** A register that is set again and again. */
  variable(kind: RegisterKind): Value;
  /** Prints a line into the innermost block. */
  line(text: string): void;
  /**
   * Result of an instruction that does nothing but compute.
   *
   * @param hoist whether it may be computed where it is not needed, before loops and choices
   */
  compute(name: string, kind: RegisterKind, operands: readonly Value[], hoist: boolean): Value;
  /** Prints what `print` prints as a block in the innermost one, behind the lines before it and before those behind it. */
  block(print: (depth: number) => void, before?: readonly string[], behind?: readonly string[]): void;
  label(): string;
  /** Lines of all that was printed, with the declarations of its registers before them. */
  finish(): readonly string[];
}

const prefixes: Readonly<Record<RegisterKind, string>> = {
  pred: "%p",
  b16: "%h",
  b32: "%r",
  b64: "%l",
  f32: "%f",
  f64: "%d",
};

export const constant = (kind: RegisterKind, text: string | number): Value => ({
  kind,
  text: String(text),
  depth: 0,
  isFixed: true,
});

export function createEmitter(): Emitter {
  const counts = new Map<RegisterKind, number>();
  const blocks: Block[] = [{ lines: [], known: new Map() }];
  let labels = 0;
  const registerAt = (kind: RegisterKind, depth: number, isFixed = true): Value => {
    const number = counts.get(kind) ?? 0;
    counts.set(kind, number + 1);
    return { kind, text: `${prefixes[kind]}${number}`, depth, isFixed };
  };
  const emitter: Emitter = {
    register: (kind) => registerAt(kind, blocks.length - 1),
    variable: (kind) => registerAt(kind, blocks.length - 1, false),
    line(text) {
      blocks.at(-1)!.lines.push(text);
    },
    compute(name, kind, operands, hoist) {
      const innermost = blocks.length - 1;
      const isFixed = operands.every((operand) => operand.isFixed);
      const least = isFixed ? Math.max(0, ...operands.map(({ depth }) => depth)) : innermost;
      const key = `${name} ${operands.map(({ text }) => text).join(", ")}`;
      for (let at = innermost; isFixed && at >= least; at--) {
        const known = blocks[at]!.known.get(key);
        if (known) return known;
      }
      const depth = hoist ? least : innermost;
      const result = registerAt(kind, depth);
      blocks[depth]!.lines.push(`${name} ${[result, ...operands].map(({ text }) => text).join(", ")};`);
      if (isFixed) blocks[depth]!.known.set(key, result);
      return result;
    },
    block(print, before = [], behind = []) {
      const own: Block = { lines: [], known: new Map() };
      blocks.push(own);
      print(blocks.length - 1);
      blocks.pop();
      blocks.at(-1)!.lines.push(...before, ...own.lines, ...behind);
    },
    label: () => `$L${labels++}`,
    finish() {
      const declared = [...counts].map(([kind, count]) => `.reg .${kind} ${prefixes[kind]}<${count}>;`);
      return [...declared, ...blocks[0]!.lines];
    },
  };
  return emitter;
}
