// A number of bytes as people read it.

/** @example sizeText(3412) // "3.4 kB" */
export function sizeText(bytes: number): string {
  if (bytes < 1e3) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
