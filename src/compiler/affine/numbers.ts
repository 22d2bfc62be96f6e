// The numbers of a linear form. Loop IR wraps them as i32 does: a form is code, and has the value of the expression. For the
// user's expressions they are exact: a sum that may leave i32 shows in its bounds, and proves nothing.

export interface Numbers {
  readonly add: (a: number, b: number) => number;
  readonly multiply: (a: number, b: number) => number;
}

export const wrapping: Numbers = { add: (a, b) => (a + b) | 0, multiply: Math.imul };

/** NaN stands for a number that is too large to be exact; nothing is known of a form that has it. */
export const exact: Numbers = { add: (a, b) => safe(a + b), multiply: (a, b) => safe(a * b) };

const safe = (value: number): number => (Number.isSafeInteger(value) ? value : Number.NaN);
