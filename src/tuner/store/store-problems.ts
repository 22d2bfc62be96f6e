// All that is wrong with a store before anything is read of it: its place, and a secret that no later process will have.

import { unkeptKey } from "./store-key.ts";
import { type PlaceProblem, placeProblems } from "./store-place.ts";

export function storeProblems(directory: string, root: string): readonly PlaceProblem[] {
  const unkept = unkeptKey();
  return [
    ...placeProblems(directory, root),
    ...(unkept === null ? [] : [{ kind: "no-secret" as const, text: unkept }]),
  ];
}
