// A table whose columns are sorted by their buttons, with a filter and pages where it is long: only the rows of a page exist.

import { type Child, element, freshId } from "./dom.ts";
import { count } from "./figures.ts";

export interface Column<Row> {
  readonly title: string;
  /** Value that the column is sorted by; null comes last in either direction. */
  readonly key: (row: Row) => number | string | null;
  readonly cell: (row: Row) => Child;
  /** Set to the right, and sorted from the greatest first. */
  readonly isFigure?: boolean;
}

export interface SortableTable<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Place of the column that it is sorted by at first. */
  readonly sortedBy: number;
  readonly pageSize?: number;
  /** Text of a row that the filter searches. Default: there is no filter. */
  readonly textOf?: (row: Row) => string;
  readonly classOf?: (row: Row) => string | null;
  readonly onOpen?: (row: Row) => void;
}

interface Order {
  readonly column: number;
  readonly isDescending: boolean;
}

export function sortableTable<Row>(table: SortableTable<Row>): HTMLElement {
  const { columns, pageSize = Number.POSITIVE_INFINITY, textOf } = table;
  const usual = (column: number): Order => ({ column, isDescending: columns[column]!.isFigure === true });
  let order = usual(table.sortedBy);
  let wanted = table.rows;
  let page = 0;

  const heads = columns.map(({ title, isFigure }, at) => {
    const button = element("button", { type: "button" }, title);
    button.addEventListener("click", () => {
      order = order.column === at ? { column: at, isDescending: !order.isDescending } : usual(at);
      page = 0;
      show();
    });
    return element("th", { scope: "col", class: isFigure ? "figure" : null }, button);
  });
  const body = element("tbody");
  const status = element("span", { role: "status", class: "status" });
  const [previous, next] = [pageButton("Previous", -1), pageButton("Next", 1)];

  function pageButton(title: string, step: number): HTMLButtonElement {
    const button = element("button", { type: "button" }, title);
    button.addEventListener("click", () => {
      page += step;
      show();
    });
    return button;
  }

  function show(): void {
    const sorted = sortedRows(wanted, columns[order.column]!, order.isDescending);
    const first = page === 0 ? 0 : page * pageSize;
    const rows = sorted.slice(first, first + pageSize);
    for (const [at, head] of heads.entries()) {
      const direction = order.isDescending ? "descending" : "ascending";
      head.setAttribute("aria-sort", at === order.column ? direction : "none");
    }
    body.replaceChildren(...rows.map((row) => rowOf(row, table)));
    const range = rows.length === 0 ? "none" : `${count(first + 1)} to ${count(first + rows.length)}`;
    status.textContent = `${range} of ${count(wanted.length)}`;
    previous.disabled = page === 0;
    next.disabled = first + pageSize >= wanted.length;
  }

  const isPaged = table.rows.length > pageSize;
  const pager = isPaged && element("div", { class: "pager" }, previous, status, next);
  const onFilter = (words: readonly string[]): void => {
    wanted = textOf
      ? table.rows.filter((row) => words.every((word) => textOf(row).toLowerCase().includes(word)))
      : wanted;
    page = 0;
    show();
  };
  const filter = textOf !== undefined && table.rows.length > 1 && filterField(onFilter);
  show();
  const scroller = element(
    "div",
    // The table scrolls sideways; with a tab stop the keyboard can scroll it too.
    { class: "scroller", tabindex: 0, role: "region", "aria-label": table.caption },
    element(
      "table",
      {},
      element("caption", { class: "unseen" }, `${table.caption}. Buttons in the head sort it.`),
      element("thead", {}, element("tr", {}, ...heads)),
      body,
    ),
  );
  return element("div", { class: "sortable" }, filter, scroller, pager);
}

function filterField(onFilter: (words: readonly string[]) => void): HTMLElement {
  const id = freshId("filter");
  const input = element("input", { id, type: "search", placeholder: "text in any column", autocomplete: "off" });
  input.addEventListener("input", () => onFilter(input.value.toLowerCase().split(/\s+/).filter(Boolean)));
  return element("p", { class: "filter screen-only" }, element("label", { for: id }, "Filter"), input);
}

function rowOf<Row>(row: Row, { columns, classOf, onOpen }: SortableTable<Row>): HTMLElement {
  // On a phone a row is a list, and each cell says what it is.
  const cells = columns.map(({ title, cell, isFigure }, at) => {
    const attributes = { class: isFigure ? "figure" : null, "data-title": title };
    return at === 0 ? element("th", { scope: "row", ...attributes }, cell(row)) : element("td", attributes, cell(row));
  });
  const made = element("tr", { class: classOf?.(row) ?? null }, ...cells);
  // The keyboard has the link in its first cell.
  if (onOpen) made.addEventListener("click", () => onOpen(row));
  return made;
}

function sortedRows<Row>(rows: readonly Row[], { key }: Column<Row>, isDescending: boolean): readonly Row[] {
  const sign = isDescending ? -1 : 1;
  const keyed = rows.map((row) => ({ row, by: key(row) }));
  keyed.sort((a, b) => {
    if (a.by === null || b.by === null) return Number(a.by === null) - Number(b.by === null);
    if (typeof a.by === "number" && typeof b.by === "number") return sign * (a.by - b.by);
    return sign * String(a.by).localeCompare(String(b.by), "en", { numeric: true });
  });
  return keyed.map(({ row }) => row);
}
