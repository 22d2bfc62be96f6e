// Instructions of one PTX function as they are printed: registers, and blocks of lines within each other. An instruction that only computes is
// printed once for the same operands. One on indices leaves the loops that do not change it.

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
  readonly isLoop: boolean;
  /** Whether a loop was printed in it. */
  hasLoop: boolean;
  readonly lines: string[];
  /** Results of instructions, by their text. */
  readonly known: Map<string, Value>;
}

export interface Emitter {
  /** A register of its own, which an instruction of the innermost block sets once. */
  register(kind: RegisterKind): Value;
  /** A register that is set again and again. An instruction that sets it is printed together with a call of `changed`. */
  variable(kind: RegisterKind): Value;
  changed(...variables: readonly Value[]): void;
  /** Prints lines into the innermost block. */
  lines(...lines: readonly string[]): void;
  /**
   * Result of an instruction that does nothing but compute.
   *
   * @param hoist whether it may be computed before loops, where it is perhaps not needed
   */
  compute(name: string, kind: RegisterKind, operands: readonly Value[], hoist: boolean): Value;
  /** Lines that `print` prints as a block in the innermost one, which are then to be printed into that. */
  block(kind: "loop" | "part", print: (depth: number) => void): readonly string[];
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
  const blocks: Block[] = [{ isLoop: false, hasLoop: false, lines: [], known: new Map() }];
  /** How often variables were set, and how many loops were begun, in which they may be set before what is printed first. */
  const times = new Map<string, number>();
  let loops = 0;
  let labels = 0;
  const keyOf = ({ text, isFixed }: Value): string => (isFixed ? text : `${text} ${times.get(text) ?? 0} ${loops}`);
  const registerAt = (kind: RegisterKind, depth: number, isFixed = true): Value => {
    const number = counts.get(kind) ?? 0;
    counts.set(kind, number + 1);
    return { kind, text: `${prefixes[kind]}${number}`, depth, isFixed };
  };
  /**
   * Number of the block where an instruction is printed ahead: around all loops that are open, and around choices as long as that is behind all
   * loops before it, through which its register would be kept.
   */
  const aheadOf = (least: number): number => {
    const outermost = blocks.findIndex(({ isLoop }, depth) => isLoop && depth > least);
    let depth = outermost < 0 ? blocks.length - 1 : outermost - 1;
    while (depth > least && !blocks[depth]!.hasLoop) depth -= 1;
    return depth;
  };
  return {
    register: (kind) => registerAt(kind, blocks.length - 1),
    variable: (kind) => registerAt(kind, blocks.length - 1, false),
    changed(...variables) {
      for (const { text } of variables) times.set(text, (times.get(text) ?? 0) + 1);
    },
    lines(...lines) {
      for (const line of lines) blocks.at(-1)!.lines.push(line);
    },
    compute(name, kind, operands, hoist) {
      const innermost = blocks.length - 1;
      const isFixed = operands.every((operand) => operand.isFixed);
      const least = isFixed ? Math.max(0, ...operands.map(({ depth }) => depth)) : innermost;
      const key = `${name} ${operands.map(keyOf).join(", ")}`;
      for (let at = innermost; at >= (isFixed ? least : 0); at--) {
        const known = blocks[at]!.known.get(key);
        if (known) return known;
      }
      const depth = hoist ? aheadOf(least) : innermost;
      const result = registerAt(kind, depth);
      blocks[depth]!.lines.push(`${name} ${[result, ...operands].map(({ text }) => text).join(", ")};`);
      blocks[depth]!.known.set(key, result);
      return result;
    },
    block(kind, print) {
      if (kind === "loop") loops += 1;
      blocks.push({ isLoop: kind === "loop", hasLoop: false, lines: [], known: new Map() });
      print(blocks.length - 1);
      const { lines } = blocks.pop()!;
      if (kind === "loop") for (const open of blocks) open.hasLoop = true;
      return lines;
    },
    label: () => `$L${labels++}`,
    finish() {
      const declared = [...counts].map(([kind, count]) => `.reg .${kind} ${prefixes[kind]}<${count}>;`);
      return [...declared, ...blocks[0]!.lines];
    },
  };
}
