// How vectors are transposed in registers: stages of shuffles of two vectors each, of kinds that machines have in one instruction.
//
//   a0 a1 a2 a3, b0 b1 b2 b3   →   a0 b0 a1 b1, a2 b2 a3 b3       in turns, within runs of 16 bytes
//   A0 A1, B0 B1               →   A0 B0, A1 B1                   by whole runs

/** Gives the two vectors of the stage before that vector `at` is made of, and its lanes, counted through both. */
export type Stage = (at: number) => { readonly parts: readonly [number, number]; readonly picks: readonly number[] };

/** Bytes of a run: machines with longer vectors shuffle within these, or these as a whole. */
const runBytes = 16;

/**
 * Returns the stages that transpose `count` vectors, a power of two, of as many lanes of so many bytes. Numbers of vectors and lanes are taken
 * bit by bit: a stage in turns moves the highest bit of a lane within its run to the vector, whose bit becomes the lowest of the
 * lane; one by runs moves the lowest bit of a run to the vector, whose bit becomes the highest of the run.
 */
export function transposingStages(count: number, bytes: number): readonly Stage[] {
  const run = Math.min(count, runBytes / bytes);
  const [inRun, all] = [Math.log2(run), Math.log2(count)];
  const half = count / 2;
  const inTurns = (lane: number, isUpper: boolean): number => {
    const within = lane % run;
    return (within % 2) * count + lane - within + Math.floor(within / 2) + (isUpper ? run / 2 : 0);
  };
  const byRuns = (lane: number, isUpper: boolean): number => {
    const group = Math.floor((lane % half) / run);
    return (lane < half ? 0 : count) + (2 * group + (isUpper ? 1 : 0)) * run + (lane % run);
  };
  return Array.from({ length: all }, (_, stage) =>
    stage < inRun ? ofPairs(inRun - 1 - stage, count, inTurns) : ofPairs(stage, count, byRuns),
  );
}

/** Pairs vectors whose numbers differ in one bit. */
const ofPairs =
  (bit: number, count: number, source: (lane: number, isUpper: boolean) => number): Stage =>
  (at) => {
    const isUpper = Math.floor(at / 2 ** bit) % 2 === 1;
    const lower = isUpper ? at - 2 ** bit : at;
    return {
      parts: [lower, lower + 2 ** bit],
      picks: Array.from({ length: count }, (_, lane) => source(lane, isUpper)),
    };
  };
