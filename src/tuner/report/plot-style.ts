// The look of plots, in light and dark surroundings alike.

import { element } from "./svg.ts";

/** Colours of series, readable on white and on black: a contrast of at least 3.3 : 1 on either. */
const colours = [
  "#2f81f7",
  "#d4731a",
  "#2e9e55",
  "#808890",
  "#c2509f",
  "#8a63d2",
  "#17959b",
  "#d9434e",
  "#9a7041",
  "#85891f",
] as const;

export const colourOf = (series: number): string => colours[series % colours.length]!;

export interface PlotFrame {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  /** Rules of its style sheet, beside the common ones. */
  readonly style?: string;
}

/** Makes the SVG document around a plot. */
export const plotDocument = ({ title, width, height, style }: PlotFrame, ...content: readonly string[]): string =>
  element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": title,
    },
    element("style", {}, plotStyle(style)),
    element("rect", { class: "ground", width, height }),
    ...content,
  );

/** Makes the style sheet: the classes title, ground, frame and grid, and the plot's own rules. */
const plotStyle = (own = ""): string =>
  [
    "text{font:12px system-ui,sans-serif;fill:#1f2328}",
    ".title{font-size:14px;font-weight:600}",
    ".ground{fill:#fff}.frame{fill:none;stroke:#818b98}.grid{stroke:#818b98;stroke-opacity:.3}",
    own,
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.ground{fill:#0d1117}}",
  ].join("");
