// Estimates how long a C compiler takes for a source, by its length, and refuses sources that are too long for any.

/**
 * Milliseconds a character. gcc 12 took 1.1, 3.2, 10.8 and 57 s, and 0.1, 0.2, 0.7 and 1.8 GB, for one function of 0.34, 1.0, 3.1
 * and 9.3 million characters of straight vector code, on a Zen 5 of which others used a part.
 */
const msPerCharacter = 3e-3;

/** Milliseconds to start the compiler and the linker. */
const startMs = 100;

export const compileMs = (characters: number): number => startMs + characters * msPerCharacter;

/** Returns the characters that one compiler can handle in `ms` milliseconds. */
export const charactersIn = (ms: number): number => Math.max(0, ms - startMs) / msPerCharacter;

/** Most characters of one source: some 20 s and 1 GB. Beyond that both grow faster than the source. */
export const mostCharacters = 5_000_000;

/** Returns why a source of this length is given to no compiler; null: it is. */
export const tooLarge = (characters: number): string | null =>
  characters > mostCharacters
    ? `its source is too large for a compiler: ${millions(characters)} characters, at most ${millions(mostCharacters)}`
    : null;

const millions = (count: number): string => `${(count / 1e6).toFixed(1)} million`;
