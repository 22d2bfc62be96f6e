// A heading → its anchor, as GitHub names it: the same link leads to the same place there and on the site.

/** "Beside the bundler: `a`, b" → "beside-the-bundler-a-b". */
export const slugOf = (title: string): string =>
  title
    .trim()
    .toLowerCase()
    .replaceAll(/\]\([^)]*\)/g, "")
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
