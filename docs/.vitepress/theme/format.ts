// Figures as pages show them: three digits, and a unit.

/** 1234567 → "1.23 ms". */
export function formatNs(ns: number): string {
  if (ns < 1e3) return `${ns.toPrecision(3)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toPrecision(3)} µs`;
  return ns < 1e9 ? `${(ns / 1e6).toPrecision(3)} ms` : `${(ns / 1e9).toPrecision(3)} s`;
}

/** 12345678 → "12.3 MB"; of 1000 bytes a kilobyte, as networks count. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e3) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toPrecision(3)} kB` : `${(bytes / 1e6).toPrecision(3)} MB`;
}

/** 16384 → "16,384". */
export const formatCount = (count: number): string => count.toLocaleString("en");
