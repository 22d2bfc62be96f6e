// PTX instructions that go elsewhere, use memory or are computed by several threads → C++, by the functions of test/native/cuda/cpu-threads.h.

import { cppName, type Operands } from "./operands.ts";
import { type PtxInstruction, splitOperands } from "./read-ptx.ts";
import { bitsOf, cppType } from "./types.ts";

/** Makes a statement of an instruction's operands and of what the groups of its pattern have found. */
type Effect = (operands: readonly string[], scope: Operands, ...groups: readonly (string | undefined)[]) => string;

/** An opcode, and its operands by names that say what they are; numbers are constants that it has to have. */
type Row = readonly [opcode: RegExp, operands: string, effect: Effect];

const memoryTypes = "([bsu](?:8|16|32|64)|f32|f64)";
const qualifiers = "(?:\\.(?:nc|c[agsv]|lu|w[bt]|L[12]::\\w+))*";
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

function demand(operands: readonly string[], names: string): void {
  const wanted = names.split(" ").filter((name) => name !== "");
  if (operands.length !== wanted.length)
    throw new Error(`it has ${operands.length} operands, and ${wanted.length} are wanted`);
  for (const [at, name] of wanted.entries())
    if (/^[\d_]/.test(name) && operands[at] !== name) throw new Error(`${operands[at]} where ${name} is wanted`);
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
  const count = Number(vector ?? 1);
  const loaded = elementsOf(operands[0]!, count).map((element, at) => scope.write(element, type!, `at[${at}]`, true));
  return `{ ${place(operands[1]!, space, count, type!, scope)} ${loaded.join(" ")} }`;
};

const store: Effect = (operands, scope, space, vector, type) => {
  const count = Number(vector ?? 1);
  const stored = elementsOf(operands[1]!, count).map(
    (element, at) => `at[${at}] = ${scope.read(element, type!, true)};`,
  );
  return `{ ${place(operands[0]!, space, count, type!, scope)} ${stored.join(" ")} }`;
};

/** Parts of a register, or a register of parts. */
const pack: Effect = (operands, scope, type) => {
  const [to, from] = operands as [string, string];
  const isPacking = from.startsWith("{");
  const parts = elements(isPacking ? from : to);
  const part = `b${bitsOf(type!) / parts.length}`;
  return isPacking
    ? `{ ${cArray(part, readAll(from, parts.length, part, scope), "parts")} ${scope.write(to, type!, `*(${cppType(type!)} *)parts`)} }`
    : `{ ${cArray(type!, [scope.read(from, type!)], "whole")} ${cppType(part)} *parts = (${cppType(part)} *)whole; ${writeAll(to, parts.length, part, scope, "parts")} }`;
};

/** How the header reads halves. */
const halfTypes: Readonly<Record<string, string>> = { f16: "uk_f16_to_f32", bf16: "uk_of_bf16" };

const loadTiles: Effect = (operands, scope, transposed) => {
  const load = transposed ? "uk_load_columns" : "uk_load_rows";
  return `{ unsigned r[4]; ${load}(r, ${scope.address(operands[1]!, "shared")}); ${writeAll(operands[0]!, 4, "b32", scope, "r")} }`;
};

/** D = A·B + C by a warp. */
function product(operands: readonly string[], scope: Operands, sum: string, call: string): string {
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
  const [to, from, slot, groups] = operands as [string, string, string, string?];
  const found = /^\[([%\w$]+),\s*(\{[^}]*\})\]$/.exec(from);
  if (!found) throw new Error(`${from} is no place of a box`);
  const places = readAll(found[2]!, 2, "s32", scope);
  const given = `${scope.address(to, "shared")}, (const void *)${scope.read(found[1]!, "u64")}, ${places.join(", ")}, ${scope.address(slot, "shared")}`;
  return groups === undefined
    ? `uk_begin_box(${given});`
    : `uk_begin_shared_box(${given}, ${scope.read(groups, "b16")});`;
};

const waiting: Effect = ([pending], _, name) => {
  if (!/^\d+$/.test(pending!)) throw new Error(`${pending} is no number`);
  return `uk_instruction("${name} ${pending}");`;
};

const shuffle: Effect = (operands, { read, write }) => {
  const [to, isInside] = operands[0]!.split("|");
  const [own, mask, bounds, threads] = operands.slice(1).map((operand) => read(operand, "b32"));
  return [
    `{ if (${bounds} != 31) uk_refuse("a shuffle of parts of a warp");`,
    `const unsigned other = __shfl_xor_sync(${threads}, ${own}, ${mask});`,
    `${write(to!, "b32", "other")} ${isInside ? write(isInside, "pred", "1") : ""} }`,
  ].join(" ");
};

const shared = (operand: string | undefined, { address }: Operands): string => address(operand!, "shared");

const rows: readonly Row[] = [
  [
    new RegExp(
      `^ld(?:\\.volatile)?(?:\\.(param|global|shared|local|const)${cta})?${qualifiers}(?:\\.v([24]))?\\.${memoryTypes}$`,
    ),
    "to from",
    load,
  ],
  [
    new RegExp(`^st(?:\\.volatile)?(?:\\.(global|shared|local)${cta})?${qualifiers}(?:\\.v([24]))?\\.${memoryTypes}$`),
    "to from",
    store,
  ],
  [/^mov\.(b32|b64)$/, "to from", pack],
  [/^bra(?:\.uni)?$/, "label", ([label]) => `goto ${cppName(label!)};`],
  [/^(?:ret|exit)$/, "", () => "return;"],
  [/^(?:bar|barrier)\.sync(?:\.aligned)?$/, "0", () => "__syncthreads();"],
  [/^bar\.warp\.sync$/, "threads", () => "uk_warp_meet();"],
  [/^shfl\.sync\.bfly\.b32$/, "to own mask bounds threads", shuffle],

  [
    /^cp\.async\.cg\.shared\.global$/,
    "to from 16",
    ([to, from], scope) => `uk_copy16(${shared(to, scope)}, uk_at<uint4, 1>(${scope.address(from!, "global")}));`,
  ],
  [/^(cp\.async\.commit_group|wgmma\.commit_group\.sync\.aligned)$/, "", (_, __, name) => `uk_instruction("${name}");`],
  [/^(?:fence\.proxy\.async(?:\.shared::cta)?|wgmma\.fence\.sync\.aligned)$/, "", () => ";"],
  [/^(cp\.async\.wait_group|wgmma\.wait_group\.sync\.aligned)$/, "pending", waiting],
  [/^cp\.async\.wait_all$/, "", () => 'uk_instruction("cp.async.commit_group"); uk_wait(0);'],

  [
    new RegExp(`^mbarrier\\.init\\.shared${cta}\\.b64$`),
    "slot arrivals",
    ([slot, arrivals], scope) => `uk_begin_slot(${shared(slot, scope)}, ${scope.read(arrivals!, "u32")});`,
  ],
  [
    new RegExp(`^mbarrier\\.expect_tx\\.shared${cta}\\.b64$`),
    "slot bytes",
    ([slot, bytes], scope) => `uk_expect(${shared(slot, scope)}, ${scope.read(bytes!, "u32")});`,
  ],
  [
    new RegExp(`^mbarrier\\.arrive\\.shared${cta}\\.b64$`),
    "_ slot",
    ([, slot], scope) => `uk_arrive(${shared(slot, scope)});`,
  ],
  [
    new RegExp(`^mbarrier\\.arrive\\.expect_tx\\.shared${cta}\\.b64$`),
    "_ slot bytes",
    ([, slot, bytes], scope) =>
      `{ uk_expect(${shared(slot, scope)}, ${scope.read(bytes!, "u32")}); uk_arrive(${shared(slot, scope)}); }`,
  ],
  [
    new RegExp(`^mbarrier\\.try_wait\\.parity(?:\\.acquire\\.cluster)?\\.shared${cta}\\.b64$`),
    "over slot parity",
    ([over, slot, parity], scope) =>
      scope.write(over!, "pred", `uk_is_over(${shared(slot, scope)}, ${scope.read(parity!, "u32")})`),
  ],
  [
    /^cp\.async\.bulk\.tensor\.2d\.shared::cluster\.global(?:\.tile)?\.mbarrier::complete_tx::bytes$/,
    "to from slot",
    box,
  ],

  [
    /^cp\.async\.bulk\.tensor\.2d\.shared::cluster\.global(?:\.tile)?\.mbarrier::complete_tx::bytes\.multicast::cluster$/,
    "to from slot groups",
    box,
  ],
  [
    /^mapa\.shared::cluster\.u32$/,
    "to address group",
    ([to, address, group], scope) =>
      scope.write(to!, "u32", `uk_address_at(${scope.read(address!, "u32")}, ${scope.read(group!, "u32")})`),
  ],
  [
    /^mbarrier\.arrive\.release\.cluster\.shared::cluster\.b64$/,
    "_ slot",
    ([, slot], scope) => `uk_arrive(${shared(slot, scope)});`,
  ],
  // Threads arrive right before they wait.
  [/^(?:barrier\.cluster\.arrive\.release\.aligned|fence\.mbarrier_init\.release\.cluster)$/, "", () => ";"],
  [/^barrier\.cluster\.wait\.acquire\.aligned$/, "", () => "uk_meet_cluster();"],

  [/^ldmatrix\.sync\.aligned\.m8n8\.x4(\.trans)?\.shared(?:::cta)?\.b16$/, "to from", loadTiles],
  [
    /^mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.(f16|bf16)\.\1\.f32$/,
    "d a b c",
    (operands, scope, type) => product(operands, scope, "f32", `uk_mma_halves<${halfTypes[type!]}>`),
  ],
  [
    /^mma\.sync\.aligned\.m16n8k32\.row\.col\.s32\.([su]8)\.([su]8)\.s32$/,
    "d a b c",
    (operands, scope, left, right) =>
      product(operands, scope, "s32", `uk_mma_bytes<${cppType(left!)}, ${cppType(right!)}>`),
  ],
  [
    /^wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k16\.f32\.(f16|bf16)\.\2$/,
    "d a b 1 1 1 0 1",
    (operands, scope, columns, type) =>
      groupProduct(operands, scope, columns, "f32", `uk_products_halves<${halfTypes[type!]}>`),
  ],
  [
    /^wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k32\.s32\.([su]8)\.([su]8)$/,
    "d a b 1",
    (operands, scope, columns, left, right) =>
      groupProduct(operands, scope, columns, "s32", `uk_products_bytes<${cppType(left!)}, ${cppType(right!)}>`),
  ],
];

/** Statement of such an instruction; null: it is another. */
export function effectStatement({ opcode, operands }: PtxInstruction, scope: Operands): string | null {
  for (const [pattern, names, effect] of rows) {
    const found = pattern.exec(opcode);
    if (!found) continue;
    demand(operands, names);
    return effect(operands, scope, ...found.slice(1));
  }
  return null;
}
