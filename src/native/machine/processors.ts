// Which of the processors of Linux is the strongest: phones, and boards with their chips, have cores of several kinds.

import { readdirSync, readFileSync } from "node:fs";

const folder = "/sys/devices/system/cpu";

/** Returns the number of the first processor of the greatest capacity, of [number, capacity]. */
export const strongestOf = (capacities: readonly (readonly [number, number])[]): number =>
  capacities.reduce((best, next) => (next[1] > best[1] || (next[1] === best[1] && next[0] < best[0]) ? next : best))[0];

/** Returns its number; 0 where all are of one kind: Linux tells no capacities then. */
export function strongestProcessor(): number {
  try {
    const capacityOf = (number: number): number => Number(readFileSync(`${folder}/cpu${number}/cpu_capacity`, "utf8"));
    // Where cores are of one kind the first has no capacity: this throws, and the others are not looked for.
    capacityOf(0);
    const numbers = readdirSync(folder).flatMap((name) => /^cpu(\d{1,6})$/.exec(name)?.[1] ?? []);
    return strongestOf(numbers.map((digits) => [Number(digits), capacityOf(Number(digits))]));
  } catch {
    return 0;
  }
}
