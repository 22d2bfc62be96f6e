// In place of what reads the package's files: a page has none of them, and what the playground does needs none. Only threads do.

function refuse(): never {
  throw new Error("there are no files in a page");
}

export const readFileSync = refuse;
export const packageFile = refuse;
