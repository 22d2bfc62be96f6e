// Figures of the site's pages.

import { expect, test } from "vitest";
import { formatBytes, formatNs } from "../../docs/.vitepress/theme/format.ts";

test.each([
  [12.34, "12.3 ns"],
  [999.4, "999 ns"],
  [999.7, "1.00 µs"],
  [999_600, "1.00 ms"],
  [1_234_567, "1.23 ms"],
  [999_999_999, "1.00 s"],
  [21e9, "21.0 s"],
])("%d nanoseconds are %s", (ns, text) => expect(formatNs(ns)).toBe(text));

test.each([
  [999, "999 bytes"],
  [1000, "1.00 kB"],
  [999_600, "1.00 MB"],
  [12_345_678, "12.3 MB"],
])("%d bytes are %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
