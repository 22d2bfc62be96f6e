// Path patterns of the options → a predicate over file paths. Globs are picomatch's, which bundlers take, too.

import { posix } from "node:path";
import picomatch from "picomatch";
import type { PathPattern } from "./types.ts";

const slashes = (path: string): string => path.replaceAll("\\", "/");

/** Puts a glob under its folder: one that begins with a dot is below the root, an absolute one stays, any other may begin at any folder. */
function anchored(glob: string, root: string): string {
  if (/^\.\.?\//.test(glob)) return posix.join(slashes(root), glob);
  return glob.startsWith("/") || /^[A-Za-z]:\//.test(glob) ? glob : `**/${glob}`;
}

function matchesAny(patterns: readonly PathPattern[], root: string): (path: string) => boolean {
  const matchers = patterns.map((pattern) =>
    typeof pattern === "string"
      ? picomatch(anchored(pattern, root), { dot: true })
      : (path: string) => path.search(pattern) >= 0,
  );
  return (path) => matchers.some((matches) => matches(path));
}

/** Returns a test that holds for paths (with `/`, or `\` on Windows) which `include` names and `exclude` does not. */
export function pathFilter(
  include: readonly PathPattern[],
  exclude: readonly PathPattern[],
  root: string,
): (path: string) => boolean {
  const included = matchesAny(include, root);
  const excluded = matchesAny(exclude, root);
  return (path) => included(slashes(path)) && !excluded(slashes(path));
}
