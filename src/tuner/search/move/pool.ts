// Distinct points that were not measured, as the strategies gather them before they choose.

import type { Rng } from "../../support/rng.ts";
import { drawPoint, type Point } from "../point/search-space.ts";
import type { SearchState } from "../state/search-state.ts";

export class Pool {
  readonly points: Point[] = [];
  readonly #keys = new Set<string>();
  readonly #state: SearchState;

  constructor(state: SearchState) {
    this.#state = state;
  }

  /** Adds a point. Returns false if it was measured, or is in the pool already. */
  add(point: Point): boolean {
    if (this.#state.seen.has(point.key) || this.#keys.has(point.key)) return false;
    this.#keys.add(point.key);
    this.points.push(point);
    return true;
  }

  /** Adds up to `count` drawn points, in turn from all templates; fewer when draws keep repeating themselves. */
  draw(count: number, rng: Rng, spread: "plain" | "look-ahead" = "look-ahead"): void {
    const { templates } = this.#state.space;
    if (templates.length === 0) return;
    const wanted = this.points.length + count;
    // The first draw is from a random template, so that small counts reach every template in time.
    const first = rng.below(templates.length);
    for (let k = 0; this.points.length < wanted && k < 4 * count + 16; k++) {
      const template = templates[(first + k) % templates.length]!;
      const point = drawPoint(this.#state.space, template, rng, { spread });
      if (point) this.add(point);
    }
  }
}
