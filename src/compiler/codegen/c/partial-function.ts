// Helper functions that move only the leading lanes of a piece: masked instructions where the machine has them for this
// size of element and vector, else lane by lane. Memory beyond the active lanes is never touched.

import { cName, type Element, elementBytes, typeName } from "./element.ts";
import type { Prelude } from "./prelude.ts";
import { inline, plainChars } from "./vector-function.ts";

/** Body of the helper for machines where the preprocessor condition `when` holds: lines of C that use `p`, `n` and, to store, `v`. */
interface Masked {
  readonly when: string;
  readonly load: readonly string[];
  readonly store: readonly string[];
}

/** `name(p, n)`: the first `n` elements at `p`, zeros after them. */
export function partialLoad(prelude: Prelude, element: Element, lanes: number): string {
  const type = prelude.type(element, lanes);
  const name = `uk_load_${element}x${lanes}`;
  return prelude.define(name, () => {
    const lanewise = [
      `${type} r = {0};`,
      ...Array.from({ length: lanes }, (_, lane) => `if (n > ${lane}) r[${lane}] = p[${lane}];`),
      "return r;",
    ];
    const masked = maskedMove(prelude, element, lanes);
    return partialFunction(`${type} ${name}(const ${cName[element]} *p, int n)`, masked?.when, masked?.load, lanewise);
  });
}

/** `name(p, v, n)`: writes the first `n` lanes of `v`. */
export function partialStore(prelude: Prelude, element: Element, lanes: number): string {
  const type = prelude.type(element, lanes);
  const name = `uk_store_${element}x${lanes}`;
  return prelude.define(name, () => {
    const lanewise = Array.from({ length: lanes }, (_, lane) => `if (n > ${lane}) p[${lane}] = v[${lane}];`);
    const masked = maskedMove(prelude, element, lanes);
    const signature = `void ${name}(${cName[element]} *p, ${type} v, int n)`;
    return partialFunction(signature, masked?.when, masked?.store, lanewise);
  });
}

function partialFunction(
  signature: string,
  when: string | undefined,
  masked: readonly string[] | undefined,
  lanewise: readonly string[],
): string {
  const indent = (lines: readonly string[]): string => lines.map((line) => `  ${line}\n`).join("");
  const body = when && masked ? `#if ${when}\n${indent(masked)}#else\n${indent(lanewise)}#endif\n` : indent(lanewise);
  return `${inline} ${signature} {\n${body}}`;
}

function maskedMove(prelude: Prelude, element: Element, lanes: number): Masked | null {
  const size = elementBytes[element];
  const bytes = size * lanes;
  if (bytes === 64) return maskedByBits(prelude, element, lanes);
  if ((bytes === 32 || bytes === 16) && size >= 4) return maskedBySigns(prelude, element, lanes);
  return null;
}

/** AVX-512: one mask bit a lane. AVX-512F has 4- and 8-byte lanes, AVX-512BW the narrower. */
function maskedByBits(prelude: Prelude, element: Element, lanes: number): Masked {
  const { move, carrier, bits, when } = avx512Move[elementBytes[element] as 1 | 2 | 4 | 8];
  const [type, vector] = [
    prelude.type(element, lanes),
    carrier ? prelude.type(carrier, lanes) : plainChars(prelude, lanes),
  ];
  const mask = `const ${bits} k = n >= ${lanes} ? (${bits})-1 : n <= 0 ? 0 : (${bits})((1ULL << n) - 1);`;
  return {
    when,
    load: [mask, `return (${type})__builtin_ia32_load${move}512_mask((const void *)p, (${vector}){0}, k);`],
    store: [mask, `__builtin_ia32_store${move}512_mask((void *)p, (${vector})v, k);`],
  };
}

interface Avx512Move {
  readonly move: string;
  /** The elements of the builtin's vector; null: `char`. */
  readonly carrier: Element | null;
  /** One bit a lane. */
  readonly bits: string;
  readonly when: string;
}

const avx512Move: Readonly<Record<1 | 2 | 4 | 8, Avx512Move>> = {
  1: { move: "dquqi", carrier: null, bits: "unsigned long long", when: "defined(__AVX512BW__)" },
  2: { move: "dquhi", carrier: "i16", bits: "unsigned int", when: "defined(__AVX512BW__)" },
  4: { move: "ups", carrier: "f32", bits: "unsigned short", when: "defined(__AVX512F__)" },
  8: { move: "upd", carrier: "f64", bits: "unsigned char", when: "defined(__AVX512F__)" },
};

/** AVX: the sign bit of each lane of a vector. */
function maskedBySigns(prelude: Prelude, element: Element, lanes: number): Masked {
  const [carrier, sign, suffix]: [Element, Element, string] =
    elementBytes[element] === 4 ? ["f32", "i32", "ps"] : ["f64", "i64", "pd"];
  const [type, vector, mask] = [prelude.type(element, lanes), prelude.type(carrier, lanes), prelude.type(sign, lanes)];
  const builtin = `${suffix}${elementBytes[element] * lanes === 32 ? "256" : ""}`;
  const count = typeName(sign, 1);
  const all = Array(lanes).fill(`(${count})n`).join(", ");
  const steps = Array.from({ length: lanes }, (_, lane) => lane).join(", ");
  const signs = `const ${mask} k = (${mask})((${mask}){${all}} > (${mask}){${steps}});`;
  return {
    when: "defined(__AVX__)",
    load: [signs, `return (${type})__builtin_ia32_maskload${builtin}((const void *)p, k);`],
    store: [signs, `__builtin_ia32_maskstore${builtin}((void *)p, k, (${vector})v);`],
  };
}
