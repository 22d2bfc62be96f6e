// Bytes picked from long vectors → C text for x86 without VBMI, whose instructions move bytes within 16 of them: the blocks of 16 bytes that each
// block of the result has bytes of are brought to its place, and one byte shuffle for each of them gives its share, and 0 elsewhere.
//
//   every third byte of a0, a1, a2    →    blocks 0 3 6 9, 1 4 7 10 and 2 5 8 11; three of vpshufb, and their sum by bits

import { type Element, elementBytes } from "./element.ts";
import type { Prelude } from "./prelude.ts";
import { gccWith, plainChars } from "./vector-function.ts";

/** Bytes that instructions shuffle within, and lanes of 8 bytes that blocks of them are moved by. */
const blockBytes = 16;
const quads = 2;

/** Most blocks that one block of the result has bytes of: with more of them, compilers do as well. */
const mostSources = 4;

export interface PickForm {
  readonly element: Element;
  /** Lanes of each operand, and number of operands. */
  readonly width: number;
  readonly count: number;
  readonly places: readonly number[];
}

export interface GuardedLines {
  readonly when: string;
  readonly lines: readonly string[];
}

/** Returns no lines where elements are no bytes, vectors are short or of several lengths, or bytes come from all over. */
export function bytePick(prelude: Prelude, { element, width, count, places }: PickForm): readonly GuardedLines[] {
  const bytes = places.length;
  const isLong = bytes === 32 || bytes === 64;
  if (prelude.architecture === "arm64" || elementBytes[element] !== 1 || !isLong || width !== bytes) return [];
  const blocks = Array.from({ length: bytes / blockBytes }, (_, at) =>
    places.slice(at * blockBytes, (at + 1) * blockBytes),
  );
  const sources = blocks.map((block) => [...new Set(block.map((place) => Math.floor(place / blockBytes)))]);
  const most = Math.max(...sources.map(({ length }) => length));
  if (most > mostSources) return [];
  const [chars, type] = [plainChars(prelude, bytes), prelude.type(element, bytes)];
  const [feature, call] =
    bytes === 32
      ? ["__AVX2__", (value: string, mask: string) => `__builtin_ia32_pshufb256(${value}, ${mask})`]
      : [
          "__AVX512BW__",
          (value: string, mask: string) => `__builtin_ia32_pshufb512_mask(${value}, ${mask}, ${mask}, -1)`,
        ];
  const shares = Array.from({ length: most }, (_, round) => {
    const moved = sources.map((all) => all[round] ?? all[0]!);
    const mask = blocks.flatMap((block, at) =>
      block.map((place) => (Math.floor(place / blockBytes) === sources[at]![round] ? place % blockBytes : unused)),
    );
    return { moved, text: call(`(${chars})b${round}`, `(${chars}){${mask.join(", ")}}`) };
  });
  const lines = [
    ...shares.flatMap(({ moved }, round) => moves(prelude, { bytes, count }, moved, `b${round}`)),
    `  return (${type})(${shares.map(({ text }) => text).join(" | ")});`,
  ];
  return [{ when: `${gccWith(feature)} && !defined(__AVX512VBMI__) && __GNUC__ >= 12`, lines }];
}

/** Byte of a mask that gives 0. */
const unused = -128;

/** Lines that bring blocks, counted through all operands, side by side. */
function moves(
  prelude: Prelude,
  { bytes, count }: { readonly bytes: number; readonly count: number },
  moved: readonly number[],
  name: string,
): readonly string[] {
  const [lanes, perPart] = [bytes / 8, bytes / blockBytes];
  const type = prelude.type("i64", lanes);
  const partOf = (block: number): number => Math.floor(block / perPart);
  const used = Array.from({ length: count }, (_, part) => part).filter((part) =>
    moved.some((block) => partOf(block) === part),
  );
  const [first = 0, second = first, ...rest] = used;
  const operand = (part: number): string => `(${type})a${part}`;
  const shuffle = (left: string, right: number, leftLane: (block: number, at: number) => number): string => {
    const order = moved.flatMap((block, at) => {
      const from = partOf(block) === right ? lanes + (block % perPart) * quads : leftLane(block, at);
      return Array.from({ length: quads }, (_, half) => (from < 0 ? -1 : from + half));
    });
    return `__builtin_shufflevector(${left}, ${operand(right)}, ${order.join(", ")})`;
  };
  const ofFirst = (block: number): number => (partOf(block) === first ? (block % perPart) * quads : -1);
  const later = rest.map((part, at) => {
    const known = used.slice(0, at + 2);
    const kept = (block: number, place: number): number => (known.includes(partOf(block)) ? place * quads : -1);
    return `  ${name} = ${shuffle(name, part, kept)};`;
  });
  return [`  ${type} ${name} = ${shuffle(operand(first), second, ofFirst)};`, ...later];
}
