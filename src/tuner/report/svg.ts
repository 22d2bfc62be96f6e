// SVG as text: elements with their attributes. A library would be larger than what it draws here: those that make SVG
// without a browser (Vega, ECharts) are megabytes, and d3's small parts give paths but neither axes nor legends without a DOM.

export type Attributes = Readonly<Record<string, string | number>>;

/** Makes an element. Numbers are rounded to a tenth of a pixel. */
export function element(name: string, attributes: Attributes, ...content: readonly string[]): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${attributeText(value)}"`);
  const opening = `<${name}${pairs.join("")}`;
  return content.length === 0 ? `${opening}/>` : `${opening}>${content.join("")}</${name}>`;
}

const attributeText = (value: string | number): string =>
  typeof value === "number" ? String(Math.round(value * 10) / 10) : escapeText(value);

export const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

export const label = (text: string, attributes: Attributes): string => element("text", attributes, escapeText(text));
