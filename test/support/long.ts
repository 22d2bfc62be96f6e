// Tests that take long for what they add: a page of ours in a second and a third engine, one check over many operators, targets or bundlers.
// CI has to end within minutes, so most of them are listed skips there: a run draws which it has, each run others, and
// `npm run test:long` runs them all and leaves a record. TEST_SEED, which a run prints, repeats what it drew.

import { describe, expect, type TestContext, type TestOptions, test } from "vitest";
import { createRng, type Rng } from "../../src/tuner/support/rng.ts";

/** Whether this run has them. */
export const isLong = process.env.TEST_LONG === "1";

/** Reason of the skip; null: they run. */
export const notNow = isLong ? null : "npm run test:long";

/** The same, for the end of a test's name. */
export const longNote = notNow === null ? "" : ` (${notNow})`;

/** A test that takes long. */
export const longTest = (name: string, body: () => unknown): void => test.skipIf(!isLong)(name + longNote, body);

/** How many times rarer turns come in this run: CI has minutes. */
const rarity = Number(process.env.TEST_RARITY ?? 1);

/** Cases to draw of so many: half of them where somebody waits, and less where turns are rarer. */
export const fewer = (count: number): number => (isLong ? count : Math.ceil(count / (2 * rarity)));

/** What a run draws by: run.js makes it up. Without it the day does. */
const runSeed = process.env.TEST_SEED || String(Math.floor(Date.now() / 86_400_000));

/** Draws for what has this name: the same in each process of a run. */
export function rngOf(name: string): Rng {
  const { testPath = "" } = expect.getState();
  let seed = 0;
  for (const letter of `${runSeed} ${testPath.replace(/^.*[\\/]test[\\/]/, "")} ${name}`)
    seed = (Math.imul(seed, 31) + letter.codePointAt(0)!) | 0;
  return createRng(seed);
}

/** As many of the cases as asked for, in their order, others in each run; a long run has all. */
export function drawn<T>(cases: readonly T[], count: number): readonly T[] {
  if (isLong || cases.length <= count) return cases;
  const chosen = rngOf(`${cases.length} cases`)
    .shuffle([...cases.keys()])
    .slice(0, count);
  return cases.filter((_, at) => chosen.includes(at));
}

/** The same for suites and tests; a skipped test says how many are left out. */
export function someOf<T>(cases: readonly T[], count: number): readonly T[] {
  const some = drawn(cases, count);
  const left = cases.length - some.length;
  if (left > 0) test.skip(`${left} of ${cases.length} cases${longNote}`);
  return some;
}

type Body = (context: TestContext) => unknown;

interface Turns {
  (name: string, body: Body, mostMs?: number): void;
  (name: string, options: TestOptions, body: Body): void;
  readonly each: typeof test.each;
  readonly for: typeof test.for;
  readonly skipIf: (condition: unknown) => Turns;
}

/** Of so many tests that are declared by it a run has one, and each run another; the names of those left out say so. */
export const inTurn = (count: number): Turns => turns(test, isNowOf(count), false) as unknown as Turns;

interface SuiteTurns {
  (name: string, body: () => void): void;
  readonly each: typeof describe.each;
  readonly skipIf: (condition: unknown) => SuiteTurns;
}

/** The same for suites: those whose set-up takes long, or whose tests build on each other. */
export const suitesInTurn = (count: number): SuiteTurns =>
  turns(describe, isNowOf(count), false) as unknown as SuiteTurns;

type IsNow = (name: string) => boolean;

/** Says of each that is declared, in their order, whether it is the one of so many that is drawn. */
function isNowOf(ofSoMany: number): IsNow {
  const count = ofSoMany * rarity;
  let [at, chosen, rng]: [number, number, Rng | null] = [0, 0, null];
  return (name) => {
    rng ??= rngOf(name);
    if (at % count === 0) chosen = rng.below(count);
    return at++ % count === chosen || isLong;
  };
}

type Register = (name: string, ...rest: readonly unknown[]) => void;
type Form = "each" | "for";

function turns(form: typeof test | typeof describe, isNow: IsNow, isSkipped: boolean): Register {
  const of = (isHere: boolean) => (isHere && !isSkipped ? form : form.skip) as unknown as Register & Forms;
  const noteOf = (isHere: boolean): string => (isHere ? "" : longNote);
  const one: Register = (name, ...rest) => {
    const isHere = isSkipped || isNow(name);
    of(isHere)(name + noteOf(isHere), ...rest);
  };
  const over =
    (form: Form) =>
    (cases: readonly unknown[]): Register =>
    (name, ...rest) => {
      for (const each of cases) {
        const isHere = isSkipped || isNow(name);
        of(isHere)[form]([each])(name + noteOf(isHere), ...rest);
      }
    };
  const skipIf = (condition: unknown): Register => turns(form, isNow, isSkipped || Boolean(condition));
  return Object.assign(one, { each: over("each"), for: over("for"), skipIf });
}

type Forms = Readonly<Record<Form, (cases: readonly unknown[]) => Register>>;
