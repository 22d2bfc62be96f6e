// Rows of cells → a table that reads well as it is and is a table in Markdown too: columns of equal width, numbers to the right.

/** Says whether a cell is a number, perhaps with its unit and another: 12.5 ms, > 60, +2 %, –, never, 3.1 s (4.2 s). */
const isFigure = (cell: string): boolean => /^(–|never|[<>+−]? ?[\d.,]+( \S{1,4})?)( \(.*\))?$/.test(cell);

/** @param rows rows as long as the head. A column of figures is set to the right. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.map((title, at) => {
    const cells = rows.map((row) => row[at]!);
    const isRight = cells.length > 0 && cells.every(isFigure);
    return { isRight, width: Math.max(3, title.length, ...cells.map((cell) => cell.length)) };
  });
  const line = (cells: readonly string[]): string => {
    const padded = columns.map(({ isRight, width }, at) => {
      return isRight ? cells[at]!.padStart(width) : cells[at]!.padEnd(width);
    });
    return `| ${padded.join(" | ")} |`;
  };
  const rule = columns.map(({ isRight, width }) => (isRight ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  return [line(head), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}
