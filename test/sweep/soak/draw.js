// Draws of a life, by its seed: the same seed draws the same plan and, in each thread, the same calls and disturbances.

/** Returns a function that gives a number from 0 to below `most`: a linear congruential generator, whose high bits are used. */
export function drawer(seed) {
  // Neighbouring seeds begin far from each other.
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  state = Math.imul(state ^ (state >>> 16), 2_246_822_507) >>> 0;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

export const pick = (draw, list) => list[draw(list.length)];
