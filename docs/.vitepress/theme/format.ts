// Figures as pages show them: three digits, and a unit.

/** Rounds before it chooses the unit: 999.7 is 1.00 of the next, where it would be "1.00e+3" of the first. */
function withUnit(value: number, units: readonly string[]): string {
  let [rounded, at] = [Number(value.toPrecision(3)), 0];
  for (; rounded >= 1e3 && at < units.length - 1; at += 1) rounded /= 1e3;
  return `${rounded.toPrecision(3)} ${units[at]}`;
}

/** 1234567 → "1.23 ms". */
export const formatNs = (ns: number): string => withUnit(ns, ["ns", "µs", "ms", "s"]);

/** 12345678 → "12.3 MB"; of 1000 bytes a kilobyte, as networks count. */
export const formatBytes = (bytes: number): string =>
  bytes < 1e3 ? `${bytes} bytes` : withUnit(bytes / 1e3, ["kB", "MB", "GB"]);

/** 16384 → "16,384". */
export const formatCount = (count: number): string => count.toLocaleString("en");
