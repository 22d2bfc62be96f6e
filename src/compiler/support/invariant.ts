// Assertions about our own code. A failed one is a bug of ours; it is caught where one kernel ends, so that others go on, and in the
// outermost function.

export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(`invariant violated: ${message}`);
}
