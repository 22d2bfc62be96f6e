// PTX instructions that go elsewhere, use memory or are computed by several threads → C++, by the functions of test/native/cuda/cpu-threads.h.

import type { Operands } from "./operands.ts";
import { cppName } from "./operands.ts";
import { type PtxInstruction, splitOperands } from "./read-ptx.ts";
import { bitsOf, cppType } from "./types.ts";

/** Makes a statement of an instruction's operands and of what the groups of its pattern have found. */
type Effect = (operands: readonly string[], scope: Operands, ...groups: readonly (string | undefined)[]) => string;

type Row = readonly [opcode: RegExp, effect: Effect];

const memoryTypes = "([bsu](?:8|16|32|64)|f32|f64)";
const qualifiers = "(?:\\.(?:volatile|nc|c[agsv]|lu|w[bt]|L[12]::\\w+))*";
const cta = "(?:::cta)?";

/** "{%r1, %r2}" → %r1, %r2. */
const elements = (operand: string): readonly string[] => {
  const found = /^\{([\s\S]*)\}$/.exec(operand);
  return found ? splitOperands(found[1]!) : [operand];
};

/** The elements, of which there have to be so many. */
function elementsOf(operand: string, count: number): readonly string[] {
  const found = elements(operand);
  if (found.length !== count) throw new Error(`${operand} is ${found.length} operands, and ${count} are wanted`);
  return found;
}

function demand(operands: readonly string[], count: number, constants: Readonly<Record<number, string>> = {}): void {
  if (operands.length !== count) throw new Error(`it has ${operands.length} operands, and ${count} are wanted`);
  for (const [at, wanted] of Object.entries(constants))
    if (operands[Number(at)] !== wanted) throw new Error(`${operands[Number(at)]} where ${wanted} is wanted`);
}

const cArray = (type: string, values: readonly string[], name: string): string =>
  `${cppType(type)} ${name}[] = {${values.join(", ")}};`;

const readAll = (operand: string, count: number, type: string, { read }: Operands): readonly string[] =>
  elementsOf(operand, count).map((element) => read(element, type));

const writeAll = (operand: string, count: number, type: string, { write }: Operands, from: string): string =>
  elementsOf(operand, count)
    .map((element, at) => write(element, type, `${from}[${at}]`))
    .join(" ");

/** Pointer to the first element in memory of a space. */
function place(operand: string, space: string | undefined, count: number, type: string, scope: Operands): string {
  const at = space === "shared" ? "uk_at_shared" : "uk_at";
  return `${cppType(type)} *at = ${at}<${cppType(type)}, ${count}>(${scope.address(operand, space)});`;
}

const load: Effect = (operands, scope, space, vector, type) => {
  demand(operands, 2);
  const count = Number(vector ?? 1);
  const loaded = elementsOf(operands[0]!, count).map((element, at) => scope.write(element, type!, `at[${at}]`, true));
  return `{ ${place(operands[1]!, space, count, type!, scope)} ${loaded.join(" ")} }`;
};

const store: Effect = (operands, scope, space, vector, type) => {
  demand(operands, 2);
  const count = Number(vector ?? 1);
  const stored = elementsOf(operands[1]!, count).map(
    (element, at) => `at[${at}] = ${scope.read(element, type!, true)};`,
  );
  return `{ ${place(operands[0]!, space, count, type!, scope)} ${stored.join(" ")} }`;
};

/** Parts of a register, or a register of parts. */
const pack: Effect = (operands, scope, type) => {
  demand(operands, 2);
  const [to, from] = operands as [string, string];
  const isPacking = from.startsWith("{");
  const parts = elements(isPacking ? from : to);
  const part = `b${bitsOf(type!) / parts.length}`;
  return isPacking
    ? `{ ${cArray(part, readAll(from, parts.length, part, scope), "parts")} ${scope.write(to, type!, `*(${cppType(type!)} *)parts`)} }`
    : `{ ${cArray(type!, [scope.read(from, type!)], "whole")} ${cppType(part)} *parts = (${cppType(part)} *)whole; ${writeAll(to, parts.length, part, scope, "parts")} }`;
};

const byteTypes: Readonly<Record<string, string>> = { s8: "signed char", u8: "unsigned char" };
const halfTypes: Readonly<Record<string, string>> = { f16: "uk_f16_to_f32", bf16: "uk_of_bf16" };

const loadTiles: Effect = (operands, scope, transposed) => {
  demand(operands, 2);
  const load = transposed ? "uk_load_columns" : "uk_load_rows";
  return `{ unsigned r[4]; ${load}(r, ${scope.address(operands[1]!, "shared")}); ${writeAll(operands[0]!, 4, "b32", scope, "r")} }`;
};

/** D = A·B + C by a warp. */
function product(operands: readonly string[], scope: Operands, sum: string, call: string): string {
  demand(operands, 4);
  const [d, a, b, c] = operands as [string, string, string, string];
  const [left, right] = [readAll(a, 4, "b32", scope), readAll(b, 2, "b32", scope)];
  const sums = cArray(sum, readAll(c, 4, sum, scope), "c");
  return `{ ${sums} const ${cArray("b32", left, "a")} ${call}(c, a, ${right.join(", ")}); ${writeAll(d, 4, sum, scope, "c")} }`;
}

/** D = A·B + D by four warps: sums are written when they are waited for. */
function groupProduct(
  operands: readonly string[],
  scope: Operands,
  columns: string | undefined,
  sum: string,
  call: string,
): string {
  const count = Number(columns) / 2;
  const sums = elementsOf(operands[0]!, count).map((element) => scope.pointer(element, sum));
  const descriptors = [operands[1]!, operands[2]!].map((operand) => scope.read(operand, "b64"));
  return `${call}(std::array<${cppType(sum)} *, ${count}>{${sums.join(", ")}}, ${descriptors.join(", ")});`;
}

const box: Effect = (operands, scope) => {
  demand(operands, 3);
  const [to, from, slot] = operands as [string, string, string];
  const found = /^\[([%\w$]+),\s*(\{[^}]*\})\]$/.exec(from);
  if (!found) throw new Error(`${from} is no place of a box`);
  const places = readAll(found[2]!, 2, "s32", scope);
  return `uk_begin_box(${scope.address(to, "shared")}, (const void *)${scope.read(found[1]!, "u64")}, ${places.join(", ")}, ${scope.address(slot, "shared")});`;
};

const instruction = (operands: readonly string[], name: string): string => {
  demand(operands, 0);
  return `uk_instruction("${name}");`;
};

const waiting = (operands: readonly string[], name: string): string => {
  demand(operands, 1);
  if (!/^\d+$/.test(operands[0]!)) throw new Error(`${operands[0]} is no number`);
  return `uk_instruction("${name} ${operands[0]}");`;
};

const rows: readonly Row[] = [
  [
    new RegExp(
      `^ld(?:\\.volatile)?(?:\\.(param|global|shared|local|const)${cta})?${qualifiers}(?:\\.v([24]))?\\.${memoryTypes}$`,
    ),
    load,
  ],
  [
    new RegExp(`^st(?:\\.volatile)?(?:\\.(global|shared|local)${cta})?${qualifiers}(?:\\.v([24]))?\\.${memoryTypes}$`),
    store,
  ],
  [/^mov\.(b32|b64)$/, pack],
  [
    /^bra(?:\.uni)?$/,
    (operands) => {
      demand(operands, 1);
      return `goto ${cppName(operands[0]!)};`;
    },
  ],
  [
    /^(?:ret|exit)$/,
    (operands) => {
      demand(operands, 0);
      return "return;";
    },
  ],
  [
    /^(?:bar|barrier)\.sync(?:\.aligned)?$/,
    (operands) => {
      demand(operands, 1, { 0: "0" });
      return "__syncthreads();";
    },
  ],
  [
    /^bar\.warp\.sync$/,
    (operands) => {
      demand(operands, 1);
      return "uk_warp_meet();";
    },
  ],
  [
    /^shfl\.sync\.bfly\.b32$/,
    (operands, { read, write }) => {
      demand(operands, 5);
      const [to, isInside] = operands[0]!.split("|");
      const [own, mask, bounds, threads] = operands.slice(1).map((operand) => read(operand, "b32"));
      const shuffle = `if (${bounds} != 31) uk_refuse("a shuffle of parts of a warp"); const unsigned other = __shfl_xor_sync(${threads}, ${own}, ${mask});`;
      return `{ ${shuffle} ${write(to!, "b32", "other")} ${isInside ? write(isInside, "pred", "1") : ""} }`;
    },
  ],
  [
    /^cp\.async\.cg\.shared\.global$/,
    (operands, { address }) => {
      demand(operands, 3, { 2: "16" });
      return `uk_copy16(${address(operands[0]!, "shared")}, uk_at<uint4, 1>(${address(operands[1]!, "global")}));`;
    },
  ],
  [
    /^(cp\.async\.commit_group|wgmma\.(?:fence|commit_group)\.sync\.aligned)$/,
    (operands, _, name) => instruction(operands, name!),
  ],
  [/^fence\.proxy\.async(?:\.shared::cta)?$/, (operands) => instruction(operands, "fence")],
  [/^(cp\.async\.wait_group|wgmma\.wait_group\.sync\.aligned)$/, (operands, _, name) => waiting(operands, name!)],
  [
    /^cp\.async\.wait_all$/,
    (operands) => {
      demand(operands, 0);
      return 'uk_instruction("cp.async.commit_group"); uk_wait(0);';
    },
  ],
  [
    new RegExp(`^mbarrier\\.init\\.shared${cta}\\.b64$`),
    (operands, { address, read }) => {
      demand(operands, 2);
      return `uk_begin_slot(${address(operands[0]!, "shared")}, ${read(operands[1]!, "u32")});`;
    },
  ],
  [
    new RegExp(`^mbarrier\\.expect_tx(?:\\.relaxed\\.cta)?\\.shared${cta}\\.b64$`),
    (operands, { address, read }) => {
      demand(operands, 2);
      return `uk_expect(${address(operands[0]!, "shared")}, ${read(operands[1]!, "u32")});`;
    },
  ],
  [
    new RegExp(`^mbarrier\\.arrive\\.shared${cta}\\.b64$`),
    (operands, { address }) => {
      demand(operands, 2, { 0: "_" });
      return `uk_arrive(${address(operands[1]!, "shared")});`;
    },
  ],
  [
    new RegExp(`^mbarrier\\.arrive\\.expect_tx\\.shared${cta}\\.b64$`),
    (operands, { address, read }) => {
      demand(operands, 3, { 0: "_" });
      const slot = address(operands[1]!, "shared");
      return `{ uk_expect(${slot}, ${read(operands[2]!, "u32")}); uk_arrive(${slot}); }`;
    },
  ],
  [
    new RegExp(`^mbarrier\\.try_wait\\.parity\\.shared${cta}\\.b64$`),
    (operands, { address, read, write }) => {
      demand(operands, 3);
      return write(
        operands[0]!,
        "pred",
        `uk_is_over(${address(operands[1]!, "shared")}, ${read(operands[2]!, "u32")})`,
      );
    },
  ],
  [/^cp\.async\.bulk\.tensor\.2d\.shared::cluster\.global(?:\.tile)?\.mbarrier::complete_tx::bytes$/, box],
  [/^ldmatrix\.sync\.aligned\.m8n8\.x4(\.trans)?\.shared(?:::cta)?\.b16$/, loadTiles],
  [
    /^mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.(f16|bf16)\.\1\.f32$/,
    (operands, scope, type) => product(operands, scope, "f32", `uk_mma_halves<${halfTypes[type!]}>`),
  ],
  [
    /^mma\.sync\.aligned\.m16n8k32\.row\.col\.s32\.([su]8)\.([su]8)\.s32$/,
    (operands, scope, left, right) =>
      product(operands, scope, "s32", `uk_mma_bytes<${byteTypes[left!]}, ${byteTypes[right!]}>`),
  ],
  [
    /^wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k16\.f32\.(f16|bf16)\.\2$/,
    (operands, scope, columns, type) => {
      demand(operands, 8, { 3: "1", 4: "1", 5: "1", 6: "0", 7: "1" });
      return groupProduct(operands, scope, columns, "f32", `uk_products_halves<${halfTypes[type!]}>`);
    },
  ],
  [
    /^wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k32\.s32\.([su]8)\.([su]8)$/,
    (operands, scope, columns, left, right) => {
      demand(operands, 4, { 3: "1" });
      const call = `uk_products_bytes<${byteTypes[left!]}, ${byteTypes[right!]}>`;
      return groupProduct(operands, scope, columns, "s32", call);
    },
  ],
];

/** Statement of such an instruction; null: it is another. */
export function effectStatement({ opcode, operands }: PtxInstruction, scope: Operands): string | null {
  for (const [pattern, effect] of rows) {
    const found = pattern.exec(opcode);
    if (found) return effect(operands, scope, ...found.slice(1));
  }
  return null;
}
