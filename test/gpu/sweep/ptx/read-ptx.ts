// PTX text → its kernels as lists of statements. The executor is an oracle of printed PTX, so text that is not understood is an error.

export interface PtxParameter {
  readonly name: string;
  /** "u64" */
  readonly type: string;
  /** Bytes of a parameter that is memory by value; null: it is one number. */
  readonly bytes: number | null;
}

export interface PtxInstruction {
  readonly kind: "instruction";
  /** As it stands in the text. */
  readonly text: string;
  /** "%p1" or "!%p1"; null: it is always executed. */
  readonly guard: string | null;
  /** "ld.shared.v4.f32" */
  readonly opcode: string;
  readonly operands: readonly string[];
}

export type PtxStatement =
  | PtxInstruction
  | { readonly kind: "open" | "close" }
  | { readonly kind: "label"; readonly name: string }
  | { readonly kind: "registers"; readonly type: string; readonly names: readonly string[] }
  | { readonly kind: "local"; readonly name: string; readonly align: number; readonly bytes: number };

export interface PtxEntry {
  readonly name: string;
  readonly parameters: readonly PtxParameter[];
  readonly body: readonly PtxStatement[];
}

export interface PtxModule {
  /** Name of the memory that a launch gives its groups; null: none. */
  readonly shared: string | null;
  readonly entries: readonly PtxEntry[];
}

const unknown = (what: string): Error => new Error(`PTX that is not known: ${what.trim()}`);

const entryHead = /(?:\.visible\s+)?\.entry\s+([\w$]+)\s*\(([^)]*)\)([^{]*)\{/;
const entryDirectives =
  /^(?:\s*\.(?:explicitcluster|(?:maxntid|reqntid|minnctapersm|maxnreg|reqnctapercluster)[\s\d,]+))*\s*$/;
const moduleDirectives = /\.version\s+[\d.]+|\.target\s+\w+|\.address_size\s+64/g;
const sharedMemory = /\.extern\s+\.shared\s+\.align\s+\d+\s+\.b8\s+([\w$]+)\[\];/;

export function readPtx(text: string): PtxModule {
  let rest = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");
  const entries: PtxEntry[] = [];
  for (let found = entryHead.exec(rest); found; found = entryHead.exec(rest)) {
    const [head, name, parameters, directives] = found;
    if (!entryDirectives.test(directives!)) throw unknown(directives!);
    const start = found.index + head.length;
    const end = closingBrace(rest, start);
    entries.push({ name: name!, parameters: parametersIn(parameters!), body: statementsIn(rest.slice(start, end)) });
    rest = rest.slice(0, found.index) + rest.slice(end + 1);
  }
  const shared = sharedMemory.exec(rest);
  const left = rest.replace(sharedMemory, "").replace(moduleDirectives, "").trim();
  if (left !== "") throw unknown(left);
  return { shared: shared && shared[1]!, entries };
}

/** Where the block ends whose first character is at `start`. */
function closingBrace(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "{") depth++;
    if (text[at] === "}" && --depth === 0) return at;
  }
  throw unknown("a block without an end");
}

const parametersIn = (text: string): readonly PtxParameter[] =>
  text.trim() === "" ? [] : text.split(",").map(parameterOf);

function parameterOf(text: string): PtxParameter {
  const found =
    /^\s*\.param(?:\s+\.align\s+\d+)?\s+\.(\w+)(?:\s+\.ptr(?:\s+\.\w+)?(?:\s+\.align\s+\d+)?)?\s+([\w$]+)(?:\[(\d+)\])?\s*$/.exec(
      text,
    );
  if (!found) throw unknown(text);
  return { name: found[2]!, type: found[1]!, bytes: found[3] === undefined ? null : Number(found[3]) };
}

/** Parts of a body: braces of blocks, labels, and what a semicolon ends. */
const parts = /\s*(?:([{}])|([\w$]+)\s*:(?!:)|([^;]+);)/y;

function statementsIn(body: string): readonly PtxStatement[] {
  const text = body.trimEnd();
  const statements: PtxStatement[] = [];
  parts.lastIndex = 0;
  while (parts.lastIndex < text.length) {
    const start = parts.lastIndex;
    const found = parts.exec(text);
    if (!found) throw unknown(text.slice(start));
    const [, brace, label, rest] = found;
    if (brace !== undefined) statements.push({ kind: brace === "{" ? "open" : "close" });
    else if (label !== undefined) statements.push({ kind: "label", name: label });
    else if (!rest!.startsWith(".pragma"))
      statements.push(rest!.startsWith(".") ? declaration(rest!) : instruction(rest!));
  }
  return statements;
}

function declaration(text: string): PtxStatement {
  const registers = /^\.reg\s+\.(\w+)\s+([\s\S]+)$/.exec(text);
  if (registers)
    return { kind: "registers", type: registers[1]!, names: registers[2]!.split(",").flatMap(registerNames) };
  const local = /^\.local\s+\.align\s+(\d+)\s+\.b8\s+([\w$]+)\[(\d+)\]$/.exec(text);
  if (!local) throw unknown(text);
  return { kind: "local", align: Number(local[1]), name: local[2]!, bytes: Number(local[3]) };
}

/** "%r<3>" → %r0, %r1, %r2. */
function registerNames(text: string): readonly string[] {
  const range = /^\s*([%\w$]+)<(\d+)>\s*$/.exec(text);
  return range ? Array.from({ length: Number(range[2]) }, (_, at) => `${range[1]}${at}`) : [text.trim()];
}

function instruction(text: string): PtxInstruction {
  const found = /^(?:@(!?[%\w$]+)\s+)?([a-z][\w.:]*)(?:\s+([\s\S]+))?$/.exec(text);
  if (!found) throw unknown(text);
  const [, guard = null, opcode, operands] = found;
  return { kind: "instruction", text, guard, opcode: opcode!, operands: operands ? splitOperands(operands) : [] };
}

/** Splits at the commas that are in no brackets. */
export const splitOperands = (text: string): readonly string[] =>
  (text.match(/(?:\{[^}]*\}|\[[^\]]*\]|[^,])+/g) ?? []).map((operand) => operand.trim());
