// Assembler → its innermost loops: what a kernel spends its time with.

export interface InnerLoop {
  readonly label: string;
  readonly instructions: readonly string[];
}

const labelOf = (line: string): string | null => /^(\.L\w+):/.exec(line)?.[1] ?? null;
/** Jumps of x86, and of ARM: `b.ne .L3`, `bne .L3`, `cbnz x3, .L3`. */
const jumpOf = (line: string): string | null =>
  /^\s+(?:j\w+|b(?:\.?[a-z]{2})?|cbn?z\s+\w+,)\s+(\.L\w+)/.exec(line)?.[1] ?? null;

/** Loops that no other loop is in: from a label to a jump back to it. */
export function innerLoops(assembler: string): readonly InnerLoop[] {
  const lines = assembler.split("\n");
  const places = new Map(lines.flatMap((line, at) => (labelOf(line) === null ? [] : [[labelOf(line)!, at] as const])));
  const loops = lines.flatMap((line, end) => {
    const start = places.get(jumpOf(line) ?? "");
    return start !== undefined && start < end ? [{ start, end, label: jumpOf(line)! }] : [];
  });
  const isInner = ({ start, end }: (typeof loops)[number]): boolean =>
    loops.every((other) => (other.start === start && other.end === end) || other.start < start || other.end > end);
  return loops.filter(isInner).map(({ start, end, label }) => ({
    label,
    instructions: lines.slice(start + 1, end + 1).filter((line) => /^\s+[a-z]/.test(line)),
  }));
}

const multiplies = (line: string): boolean =>
  /\bv(fn?m(add|sub)|pdp|dpbf16)|\b(fml[as]|us?dot|sdot|bfdot|[su]adalp|u?s?mmla|bfmmla)\s/.test(line);

/** Loops that multiply and add vectors. */
export const multiplyingLoops = (assembler: string): readonly InnerLoop[] =>
  innerLoops(assembler).filter(({ instructions }) => instructions.some(multiplies));

/** Instructions of one iteration of a loop. */
export interface InstructionMix {
  readonly instructions: number;
  /** Instructions that multiply and add vectors. */
  readonly multiplying: number;
  /** Vectors, or parts of them, that are read from memory and written to it. */
  readonly loads: number;
  readonly stores: number;
}

/** Counts the instructions of a loop by kind. In gcc's assembler the operand that is written comes last. */
export function instructionMix({ instructions }: InnerLoop): InstructionMix {
  const moves = instructions.filter((line) => /%[xyz]mm/.test(line) && /\(%r/.test(line));
  const stores = moves.filter((line) => /\)(\{[^}]*\})*\s*$/.test(line)).length;
  const multiplying = instructions.filter(multiplies).length;
  return { instructions: instructions.length, multiplying, loads: moves.length - stores, stores };
}

/** Vectors that are read from the stack or written to it: what did not fit the registers. The end of a loop may be there. */
export const vectorSpills = ({ instructions }: InnerLoop): readonly string[] =>
  instructions.filter(
    (line) => (/\(%r[sb]p/.test(line) && /%[xyz]mm/.test(line)) || /\b(ld|st)[rp]\s+q\d.*\[(sp|x29)/.test(line),
  );

/** Instructions that take a lane out of a vector, put one into it, or compute with a single lane. */
export const movesOfLanes = (instructions: readonly string[]): readonly string[] =>
  instructions.filter((line) =>
    /\bv?(pextr|pinsr|extractps|insertps|cvttss2si|cvttsd2si|cvtsi2s)|\bmov[sz][bw]|\bi?(mul|div)[lq]?\s/.test(line),
  );
