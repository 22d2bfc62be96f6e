// A number of bytes as people read it.

/** @example sizeText(3412) // "3.4 kB" */
export function sizeText(bytes: number): string {
  if (bytes < 1e3) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Powers of a thousand, or of 1024 with an i, by the letter of the unit. */
const powers: Readonly<Record<string, number>> = { "": 0, K: 1, M: 2, G: 3, T: 4 };

/**
 * Parses a number of bytes as people write it; null: it is none.
 *
 * @example sizeOf("500MB") // 500_000_000, as are "500 mb", "500M" and "500000000"
 */
export function sizeOf(text: string): number | null {
  const [, digits, letter = "", binary] = /^(\d{1,16}(?:\.\d{1,9})?) ?([KMGT]?)(i?)B?$/i.exec(text.trim()) ?? [];
  if (digits === undefined || (binary && letter === "")) return null;
  const bytes = Math.floor(Number(digits) * (binary ? 1024 : 1000) ** powers[letter.toUpperCase()]!);
  return Number.isSafeInteger(bytes) ? bytes : null;
}
