// Path patterns of the options → a predicate over file paths.

import type { PathPattern } from "./types.ts";

const wildcards: Readonly<Record<string, string>> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" };

/** `**` any folders, `*` and `?` within one; a pattern that does not start with `/` may begin at any folder. */
function globToRegExp(glob: string): RegExp {
  const anchor = glob.startsWith("/") || /^[A-Za-z]:\//.test(glob) ? "^" : "(?:^|/)";
  const body = glob.replace(/\*\*\/|\*\*|[*?]|[.+^${}()|[\]\\]/g, (part) => wildcards[part] ?? `\\${part}`);
  return new RegExp(`${anchor}${body}$`);
}

function matchesAny(patterns: readonly PathPattern[]): (path: string) => boolean {
  const expressions = patterns.map((pattern) => (typeof pattern === "string" ? globToRegExp(pattern) : pattern));
  return (path) => expressions.some((expression) => path.search(expression) >= 0);
}

/** True for the paths (with `/`, or `\` on Windows) that `include` names and `exclude` does not. */
export function pathFilter(
  include: readonly PathPattern[],
  exclude: readonly PathPattern[],
): (path: string) => boolean {
  const included = matchesAny(include);
  const excluded = matchesAny(exclude);
  return (path) => {
    const posix = path.replaceAll("\\", "/");
    return included(posix) && !excluded(posix);
  };
}
