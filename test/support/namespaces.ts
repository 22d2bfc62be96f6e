// Namespaces of Linux, as containers have them: whether this user may make some, and a command in one.

import { spawnSync } from "node:child_process";

const kinds = ["--net", "--pid", "--uts"] as const;
export type NamespaceKind = (typeof kinds)[number];

/** Whether a process may have namespaces of its own here. */
export const hasNamespaces: boolean =
  process.platform === "linux" && spawnSync("unshare", [...kinds, "--fork", "true"]).status === 0;

/** Arguments before a command that give it namespaces of its own. */
export const inNamespaces = (...wanted: readonly NamespaceKind[]): readonly string[] => [
  "unshare",
  ...wanted,
  "--fork",
  "--kill-child",
];
