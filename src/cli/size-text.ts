// A number of bytes as people read it.

/** @example sizeText(3412) // "3.4 kB" */
export function sizeText(bytes: number): string {
  if (bytes < 1e3) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

const units: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
};

/**
 * Parses a number of bytes as people write it; null: it is none.
 *
 * @example sizeOf("500MB") // 500_000_000
 */
export function sizeOf(text: string): number | null {
  const [, digits, unit = ""] = /^(\d{1,16}(?:\.\d{1,9})?) ?([KMG]?i?B)?$/i.exec(text.trim()) ?? [];
  const scale = units[unit.toUpperCase()];
  const bytes = digits === undefined || scale === undefined ? Number.NaN : Math.floor(Number(digits) * scale);
  return Number.isSafeInteger(bytes) ? bytes : null;
}
