// A trace → the TypeScript module that writes it by hand: a template without decisions.
//
//   import { template } from "unplugin-kernel/api";
//
//   export default template("gemm by hand", (t) => {
//     t.split("C.i", [0, 6], "cut");
//   });

import type { Trace } from "../trace.ts";
import { callOf } from "./instruction-call.ts";

export interface PrintedTemplate {
  readonly name?: string;
  /** Name of the algorithm, where it is another than the direct one. */
  readonly algorithm?: string | null;
}

export function traceToTypeScript(trace: Trace, { name = "by hand", algorithm = null }: PrintedTemplate = {}): string {
  return [
    'import { template } from "unplugin-kernel/api";',
    "",
    `export default template(${JSON.stringify(name)}, (${trace.length === 0 ? "" : "t"}) => {`,
    ...trace.map((instruction) => `  ${line(callOf(instruction))}`),
    algorithm === null ? "});" : `}, ${literal({ algorithm })});`,
    "",
  ].join("\n");
}

const line = ({ method, args }: ReturnType<typeof callOf>): string => `t.${method}(${args.map(literal).join(", ")});`;

/** JSON values, as a formatter would write them. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${key}: ${literal(field)}`);
  return `{ ${fields.join(", ")} }`;
}
