// Messages between the playground's page and its worker: a program goes in; stages, a problem and measurements come out.

/** Targets whose C is shown. */
export const nativeTargets = ["avx2", "avx512", "avx512-vnni"] as const;
export type NativeTarget = (typeof nativeTargets)[number];

export interface Program {
  /** The text of an operator file. */
  readonly source: string;
  readonly numerics: "fast" | "strict";
  /** Target whose C is shown. */
  readonly native: NativeTarget;
}

/** The tabs, from left to right. */
export const tabs = ["Expression", "Space", "Schedule", "Loops", "WAT", "C"] as const;
export type Tab = (typeof tabs)[number];

/** One text of a tab. The tab of loops has several, each changed by a pass from the one before. */
export interface Stage {
  readonly tab: Tab;
  /** "after vectorize" */
  readonly title: string;
  readonly text: string;
}

/** A mistake in the program; places begin with 1. */
export interface Problem {
  /** "expr.shape-mismatch" */
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** More lines to show below, as they are. */
  readonly detail: string | null;
}

export interface RunResult {
  /** "wasm-relaxed" where the engine has relaxed SIMD. */
  readonly twin: "wasm" | "wasm-relaxed";
  readonly bytes: number;
  readonly elements: number;
  /** Source of the right results. */
  readonly reference: "interpreter" | "reference loops";
  /** Null: the results are right. */
  readonly wrong: string | null;
  /** Largest difference from the reference, beside the largest element. */
  readonly largestError: number;
  /** Nanoseconds of a call, the median. */
  readonly kernelNs: number;
  /** The same for plain loops in JavaScript. */
  readonly loopsNs: number;
  readonly flops: number;
}

export type Request = { readonly id: number; readonly program: Program; readonly run: boolean };

export type Reply =
  | { readonly id: number; readonly kind: "stages"; readonly stages: readonly Stage[] }
  | { readonly id: number; readonly kind: "run"; readonly result: RunResult }
  | { readonly id: number; readonly kind: "problem"; readonly problem: Problem }
  | { readonly id: number; readonly kind: "done"; readonly milliseconds: number };
