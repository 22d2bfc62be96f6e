// "did you mean": the known word that takes the fewest slips to become what was typed.

/** Known word nearest to what was typed; null: none is near. A word that begins with what was typed counts as near, however long it is. */
export function closest(typed: string, known: readonly string[]): string | null {
  const ranked = known
    .map((word) => ({ word, slips: slipsBetween(typed, word) }))
    .sort((left, right) => left.slips - right.slips);
  const [best] = ranked;
  if (best && best.slips <= Math.max(1, Math.floor(best.word.length / 3))) return best.word;
  return known.find((word) => typed.length > 1 && word.startsWith(typed)) ?? null;
}

/** Number of letters inserted, left out, exchanged for others or swapped with a neighbour (optimal string alignment). */
function slipsBetween(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const isSame = left[i - 1] === right[j - 1];
      const isSwapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const exchanged = rows[i - 1]![j - 1]! + (isSame ? 0 : 1);
      const swapped = isSwapped ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, exchanged, swapped));
    }
    rows.push(row);
  }
  return rows[left.length]![right.length]!;
}
