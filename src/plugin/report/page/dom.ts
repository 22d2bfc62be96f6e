// Elements in one call. Text goes in as text nodes: nothing of the data is ever read as HTML.

export type Child = Node | string | number | null | false;

export type Attributes = Readonly<Record<string, string | number | boolean | null>>;

/**
 * An attribute that is false or null is left out, one that is true has no value.
 *
 * @example element("th", { scope: "col", class: "figure" }, "GFLOP/s")
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : String(value));
  made.append(...shown(children));
  return made;
}

const shown = (children: readonly Child[]): (Node | string)[] =>
  children.flatMap((child) =>
    child === null || child === false ? [] : [typeof child === "number" ? `${child}` : child],
  );

let ids = 0;

/** Returns a new id, for elements that name each other. */
export function freshId(prefix: string): string {
  ids += 1;
  return `${prefix}-${ids}`;
}
