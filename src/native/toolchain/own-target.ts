// A target that a user describes by a plain object → a Target: one of ours with other numbers, under a name of its own.

import {
  aBoolean,
  type CoreName,
  coreNames,
  type FieldKind,
  integerIn,
  listOf,
  malformed,
  oneOfThese,
  optionally,
  requireFields,
  type Target,
  type TargetName,
  targetNames,
  textLike,
} from "../../compiler/index.ts";
import { hostTarget } from "../machine/machine.ts";

/**
 * A machine with other numbers than those of our target `of`, which generates its code. A field that is left out is as in
 * `of`; caches that are left out are those of this machine.
 *
 * @example
 * // AVX-512 with vectors of half the width, for CPUs that slow down at 64 bytes.
 * const narrow: OwnTarget = { name: "avx512-256", of: "avx512", vectorBytes: 32 };
 */
export interface OwnTarget {
  /** Name in records and reports: lower case letters, digits, dashes. None of ours has it. */
  readonly name: string;
  /** Target of ours that it is a kind of. */
  readonly of: TargetName;
  /** All features, in place of those of `of`, spelled like the compiler's `-m` options; they are sorted. Not for WASM. */
  readonly features?: readonly string[];
  /** Bytes of a vector: 16, 32 or 64. WASM has 16. */
  readonly vectorBytes?: number;
  /** Number of vector registers. */
  readonly vectorRegisters?: number;
  /** Whether a·b + c is one instruction. */
  readonly hasFma?: boolean;
  /** Whether a vector store can leave its tail lanes alone in one instruction. */
  readonly hasMaskedStore?: boolean;
  readonly l1Bytes?: number;
  readonly l2Bytes?: number;
  /** Bytes of the L3 cache that are one core's share. */
  readonly l3Bytes?: number;
  /** Core of ARM, by whose numbers schedules are predicted: "apple-p", "neoverse-v2". */
  readonly core?: CoreName;
}

const aSize: FieldKind = integerIn(1024, 2 ** 40);

/**
 * Checks a user's target.
 *
 * @throws DiagnosticError `extension.malformed`, which names the field
 */
export function ownTarget(own: OwnTarget): Target {
  requireFields<OwnTarget>(
    "target",
    own,
    {
      name: textLike(/^[a-z][a-z0-9-]{0,39}$/, "a name of lower case letters, digits and dashes"),
      of: oneOfThese(...targetNames),
      features: optionally(listOf(textLike(/^[a-z0-9][a-z0-9._-]{0,39}$/, "a feature such as avx2"))),
      vectorBytes: optionally(own?.of === "wasm" ? oneOfThese(16) : oneOfThese(16, 32, 64)),
      vectorRegisters: optionally(integerIn(2, 1024)),
      hasFma: optionally(aBoolean),
      hasMaskedStore: optionally(aBoolean),
      l1Bytes: optionally(aSize),
      l2Bytes: optionally(aSize),
      l3Bytes: optionally(aSize),
      core: optionally(oneOfThese(...coreNames)),
    },
    "refused",
  );
  const { name, of, features, ...numbers } = own;
  if (isOurs(name)) throw malformed(`target.name is ${name}, which is one of ours`, "name it otherwise");
  if (features && of === "wasm") throw malformed("target.features is given for WASM, whose features are simd128");
  const given = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined));
  const sorted = features && [...new Set(features)].sort();
  return { ...hostTarget(of), ...given, ...(sorted && { features: sorted }), own: name };
}

const isOurs = (name: string): boolean => name === "native" || targetNames.some((known) => known === name);
