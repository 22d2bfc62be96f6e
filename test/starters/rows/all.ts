// The matrix: all rows, in the order in which they are tried.

import type { Row } from "../row.ts";
import { bundlerRows } from "./bundlers.ts";
import { frameworkRows } from "./frameworks.ts";
import { managerRows } from "./managers.ts";
import { programRows } from "./programs.ts";
import { viteRows } from "./vite.ts";
import { viteFrameworkRows } from "./vite-frameworks.ts";

export const rows: readonly Row[] = [
  ...viteRows,
  ...viteFrameworkRows,
  ...frameworkRows,
  ...bundlerRows,
  ...programRows,
  ...managerRows,
];
