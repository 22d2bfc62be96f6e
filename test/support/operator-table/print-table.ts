// docs/operators.md: finished cells → the table of operators × targets × types. A cell that is empty says why.

import { isFloat } from "../../../src/compiler/index.ts";
import { library } from "../library/library.ts";
import { type LibraryOperator, type TypeName, titleOf } from "../library/library-operator.ts";
import { type Cell, type ShapeResult, type TableTarget, tableTargets } from "./cell.ts";
import { cellsAge } from "./cells-age.ts";

const columns: readonly TypeName[] = ["f32", "f64", "f16", "bf16", "i8", "u8·i8", "u8", "i16", "i32"];

const introduction = `# The operator library

Made by \`npm run test:operators\`; do not edit. The operators are those of \`unplugin-kernel/ops\`, in \`src/compiler/ops\`.

Every cell was built, run and compared with plain loops over f64 numbers that are written in the tests
(\`test/support/library\`), on three shapes, the last of them with prime extents. The second line is the largest error of
the three, relative to the largest result; integers are equal. The first line are GFLOP/s of the three shapes.

GFLOP/s are those of one thread after a search of TRIALS trials a shape at most, where 512 are the default, on a machine that did
other things meanwhile: they tell a schedule that works from one that does not, no more.
\`avx512\` has no times: its predicted schedules ran as 64-byte vectors in two halves on AVX2.

AGE

Why a cell is empty: **f** the operator takes floats only (it divides, or calls exp or the like) · **o** its operands have
one type · **s** it takes the type, and i8 or i32 stands for it: integers of other widths differ in loads and stores only (gemm,
sum and scan have them all) · **m** the operator without the epilogue has it · **–** not run yet.
`;

export function printTable(cells: readonly Cell[]): string {
  const sections = tableTargets.map((target) => section(target, cells));
  const trials = Math.max(0, ...cells.flatMap(({ shapes }) => shapes.map(({ measured }) => measured)));
  const text = introduction.replace("TRIALS", String(trials)).replace("AGE", cellsAge(cells));
  return [text, ...sections, shapesSection()].join("\n");
}

function section(target: TableTarget, cells: readonly Cell[]): string {
  const rows = library.map((operator) => {
    const its = columns.map((type) => cellText(operator, target, type, cells));
    return `| ${titleOf(operator)} | ${its.join(" | ")} |`;
  });
  const head = [`| operator | ${columns.join(" | ")} |`, `|---${"|---".repeat(columns.length)}|`];
  return [`## ${target}`, "", ...head, ...rows, ""].join("\n");
}

function cellText(operator: LibraryOperator, target: TableTarget, type: TypeName, cells: readonly Cell[]): string {
  if (!operator.types.includes(type)) return whyNot(operator, type);
  const cell = cells.find((it) => it.operator === titleOf(operator) && it.target === target && it.type === type);
  return cell ? resultText(cell.shapes) : "–";
}

const oneType: ReadonlySet<string> = new Set(["sum", "scan", "map"]);

function whyNot({ name, types, variant }: LibraryOperator, type: TypeName): string {
  const isInteger = type === "u8·i8" || !isFloat(type);
  if (!isInteger) return "m";
  const takesIntegers = types.some((it) => it === "u8·i8" || !isFloat(it));
  if (type === "u8·i8" && oneType.has(name)) return "o";
  if (takesIntegers) return "s";
  return variant === "" || variant.includes("gelu") || name === "map" ? "f" : "m";
}

/** "41 / 38 / 30<br>3e-7", or what went wrong. */
function resultText(shapes: readonly ShapeResult[]): string {
  const wrong = shapes.find(isWrong);
  if (wrong) return `**${problemOf(wrong)}**`;
  const worst = Math.max(...shapes.map(({ error }) => error!));
  const error = worst === 0 ? "equal" : worst.toExponential(0);
  const speeds = shapes.map(({ gflops }) => (gflops === null ? null : printSpeed(gflops)));
  return speeds.includes(null) ? error : `${speeds.join(" / ")}<br>${error}`;
}

export const isWrong = ({ error, allowed, failures }: ShapeResult): boolean =>
  error === null || error > allowed || failures.some((failure) => failure.startsWith("wrong-result"));

export const problemOf = ({ error, allowed, failures }: ShapeResult): string =>
  failures.find((failure) => failure.startsWith("wrong-result")) ??
  (error === null
    ? (failures[0] ?? "nothing ran")
    : `error ${error.toExponential(1)}, allowed ${allowed.toExponential(1)}`);

const printSpeed = (gflops: number): string => (gflops >= 10 ? gflops.toFixed(0) : gflops.toPrecision(2));

function shapesSection(): string {
  const rows = library.map((operator) => {
    const shapes = operator.shapes.map(({ parameters }) =>
      Object.entries(parameters)
        .map(([name, value]) => `${name} ${value}`)
        .join(", "),
    );
    return `| ${titleOf(operator)} | ${shapes.join(" | ")} |`;
  });
  return ["## Shapes", "", "| operator | first | second | prime |", "|---|---|---|---|", ...rows, ""].join("\n");
}
