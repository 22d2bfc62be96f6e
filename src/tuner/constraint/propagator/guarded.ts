// A relation that holds where all of its conditions do: propagated once they are certain; and where it can no longer hold
// the last condition that is still open is denied.

import type { DomainStore } from "../domain-store.ts";
import type { GuardedBody, GuardedConstraint } from "../normal-form.ts";
import { linearPropagator, linearRefuted } from "./linear.ts";
import { maskOf, memberPropagator, shareIn } from "./member.ts";
import { notEqualPropagator, notEqualRefuted } from "./not-equal.ts";
import type { Propagator } from "./propagator.ts";

export function guardedPropagator(store: DomainStore, { when, body }: GuardedConstraint): Propagator {
  const inner = bodyPropagator(store, body);
  const masks = when.map((condition) => maskOf(store, condition));
  const run = (): boolean => {
    let open = -1;
    for (let k = 0; k < when.length; k++) {
      const share = shareIn(store, when[k]!.variable, masks[k]!);
      if (share === "none") return true;
      if (share === "all") continue;
      // With two conditions open nothing follows yet.
      if (open >= 0) return true;
      open = k;
    }
    if (open < 0) return inner.run();
    const denied = masks[open]!;
    return (
      !isRefuted(store, body) ||
      store.keep(
        when[open]!.variable,
        denied.map((word) => ~word),
      )
    );
  };
  const { isEntailed } = inner;
  return {
    ...(isEntailed && { isEntailed }),
    variables: [...when.map(({ variable }) => variable), ...inner.variables],
    idempotent: false,
    run,
  };
}

function bodyPropagator(store: DomainStore, body: GuardedBody): Propagator {
  switch (body.kind) {
    case "linear":
      return linearPropagator(store, body);
    case "not-equal":
      return notEqualPropagator(store, body);
    case "member":
      return memberPropagator(store, body);
  }
}

/** Says whether a relation is certainly violated. False proves nothing. */
function isRefuted(store: DomainStore, body: GuardedBody): boolean {
  switch (body.kind) {
    case "linear":
      return linearRefuted(store, body);
    case "not-equal":
      return notEqualRefuted(store, body);
    case "member": {
      const [low, high] = [store.min(body.variable), store.max(body.variable)];
      return !body.values.some((value) => value >= low && value <= high);
    }
  }
}
