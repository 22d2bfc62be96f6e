// Values of options as the user typed them. cac makes numbers of what looks like one: an empty text would be 0, and 007 would be 7.

import { badArgument, type Flags } from "../project/command.ts";

/** "--cache-dir <folder>" → "cache-dir" */
export const nameOfFlag = (flags: string): string => /--([\w-]+)/.exec(flags)?.[1] ?? flags;

/** "cache-dir" → "cacheDir", as cac names its values. */
export const inCamelCase = (name: string): string =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns every value that an option is given, in order. */
function valuesOf(name: string, argv: readonly string[]): readonly string[] {
  const flag = `--${name}`;
  return argv.flatMap((word, at) => {
    if (word.startsWith(`${flag}=`)) return [word.slice(flag.length + 1)];
    return word === flag && argv[at + 1] !== undefined ? [argv[at + 1]!] : [];
  });
}

/**
 * Replaces the values of options that take one by their text. An empty one is refused: it is mostly a variable of a script that is not
 * set, and `--days ""` had better not mean that all is to go.
 *
 * @param names of the options that take a value: "cache-dir"
 * @throws DiagnosticError `command.bad-argument`
 */
export function withTypedValues(flags: Flags, names: readonly string[], argv: readonly string[]): Flags {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  const typed: Record<string, unknown> = { ...flags };
  for (const name of names) {
    const values = valuesOf(name, words);
    if (values.includes("")) throw badArgument(`--${name} is empty`, `--${name} with a value, or without both`);
    if (values.length > 0) typed[inCamelCase(name)] = values.length === 1 ? values[0] : values;
  }
  return typed;
}
