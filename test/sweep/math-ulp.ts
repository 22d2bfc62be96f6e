// Sweeps all 2^32 operands of the functions of one f32, in pieces that can be resumed, and prints the largest error of each.
//
//   npm run test:math-ulp                  all functions, 256 pieces of 2^24 operands each
//   npm run test:math-ulp -- exp 40 8      exp, from piece 40, 8 pieces
//
// Each piece prints a line with its number, so an interrupted sweep goes on from the last line. Exits with 1 beyond 2 ulp.

import { applyUnary } from "../../src/compiler/expr/scalar-math.ts";
import { expandedUnary, maxUlp } from "../../src/compiler/lower/math/expansions.ts";
import { compileExpansion, ulpError } from "../compiler/lower/math/ulp.ts";
import { npmRun, recordRun } from "../support/record-run.js";

const pieces = 256;
const length = 2 ** 32 / pieces;

type Op = (typeof expandedUnary)[number];

function sweep(op: Op, piece: number): number {
  const x = new Float32Array(length);
  const bits = new Int32Array(x.buffer);
  for (let at = 0; at < length; at++) bits[at] = (piece * length + at) | 0;
  const z = new Float32Array(length);
  compileExpansion(op, "f32", length)(x, z);
  let [worst, where] = [0, 0];
  for (let at = 0; at < length; at++) {
    const error = ulpError(z[at]!, applyUnary(op, "f64", x[at]!), "f32");
    if (!(error <= worst)) [worst, where] = [error, at];
  }
  console.log(`${op} piece ${piece}/${pieces}: ${worst.toFixed(3)} ulp at ${x[where]}`);
  return worst;
}

const [wanted, from = "0", count = String(pieces)] = process.argv.slice(2).filter((each) => each !== "--");
const end = Math.min(pieces, Number(from) + Number(count));
const found: string[] = [];
for (const op of expandedUnary.filter((each) => wanted === undefined || each === wanted)) {
  let worst = 0;
  for (let piece = Number(from); piece < end; piece++) worst = Math.max(worst, sweep(op, piece));
  console.log(`${op}: ${worst.toFixed(3)} ulp`);
  found.push(`${op} ${worst.toFixed(3)} ulp`);
  if (worst > maxUlp.f32) process.exitCode = 1;
}
recordRun(npmRun("test:math-ulp"), `${process.exitCode ? "failed" : "passed"}: ${found.join(", ")}`);
