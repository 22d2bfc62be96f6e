// Calls of an addon's slot: for the addon to ask for the memory of an array costs some 30 ns, so where the arrays are those of the
// call before it is asked nothing.

/** Names of what a call is given. */
export interface BoundCall {
  readonly given: readonly string[];
  /** What the kernel gets, in its order; `given` unless said. */
  readonly all?: readonly string[];
  /** What else must hold for the memory of the last call to be there. */
  readonly alive?: readonly string[];
}

/**
 * Text that defines `bound(…given)` and `forget()`; expects `call` and `again` of a slot. Whoever calls it has checked the lengths of
 * what is given, so none of it is detached. All is forgotten at the end of the job: a kernel keeps nobody's memory alive.
 */
export function boundText({ given, all = given, alive = [] }: BoundCall): string {
  const each = (text: (name: string) => string, between: string): string => given.map(text).join(between);
  const same = [...given.map((name) => `${name} === last_${name}`), ...alive].join(" && ");
  return `let ${each((name) => `last_${name}`, ", ")}, isRemembered = false;
    const forget = () => {
      ${each((name) => `last_${name} = `, "")}undefined;
      isRemembered = false;
    };
    const bound = (${given.join(", ")}) => {
      if (${same}) return again();
      last_${given[0]} = undefined;
      call(${all.join(", ")});
      ${each((name) => `last_${name} = ${name};`, " ")}
      if (!isRemembered) queueMicrotask(forget);
      isRemembered = true;
    };`;
}
