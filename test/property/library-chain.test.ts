// Every operator of the library, in the types that it takes, with random extents: random schedules through the oracle
// chain. Here two types of each; `npm run test:oracle -- --library --count 600` draws that many schedules an operator,
// 200 a target.

import { expect } from "vitest";
import { instantiate } from "../../src/compiler/index.ts";
import { createRng, type Rng } from "../../src/tuner/support/rng.ts";
import { library } from "../support/library/library.ts";
import { type LibraryOperator, operandTypes, titleOf } from "../support/library/library-operator.ts";
import { inTurn } from "../support/long.ts";
import { newReport, printReport, runCases } from "../support/oracle-chain.ts";
import { type ChainCase, caseOf, chainTargets } from "../support/random-schedule.ts";

const turn = inTurn(7);

const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const seed = setting("ORACLE_SEED", 1);
const from = setting("ORACLE_FROM", 0);
const count = setting("ORACLE_LIBRARY", 2);
const only = process.env.ORACLE_ONLY;
/** Whether no number of cases was asked for. */
const isSample = process.env.ORACLE_LIBRARY === undefined;

/** Kernels that one addon holds. */
const batch = 28;

/** The targets in turn, and the types, f32 first; of few cases the second has any of the others. */
function drawCase(operator: LibraryOperator, number: number): ChainCase {
  const rng = createRng(seed * 1_000_003 + number);
  const type = isSample ? drawType(operator, number, rng) : typeInTurn(operator, number);
  const target = chainTargets[number % chainTargets.length]!;
  const { parameters, op } = operator.small(rng);
  const family = `${titleOf(operator)} ${type}`;
  const def = instantiate(op(operandTypes(type)), {}, operator.name);
  const known = { ...def, parameters: { ...parameters, ...def.parameters } };
  return caseOf({ number, family, op: known, callsFunctions: operator.callsFunctions }, rng, [target]);
}

const drawType = ({ types }: LibraryOperator, number: number, rng: Rng) =>
  number % 2 === 0 ? types[0]! : rng.pick(types.slice(1));

/** Every type on every target. */
const typeInTurn = ({ types }: LibraryOperator, number: number) =>
  types[Math.floor(number / chainTargets.length) % types.length]!;

const chosen = library.filter((operator) => only === undefined || titleOf(operator) === only || operator.name === only);

turn.each(chosen.map((operator) => [titleOf(operator), operator] as const))(
  "%s",
  { timeout: 4 * 3_600_000 },
  async (_, operator) => {
    const report = newReport();
    for (let at = from; at < from + count; at += batch) {
      const length = Math.min(batch, from + count - at);
      await runCases(
        report,
        Array.from({ length }, (_value, each) => drawCase(operator, at + each)),
      );
    }
    if (count > batch) console.log(printReport(report));
    expect(report.failures).toEqual([]);
    expect(report.rejected, "samples that check refuses").toEqual([]);
  },
);
