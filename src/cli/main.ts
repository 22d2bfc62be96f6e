// `npx unplugin-kernel <command>`: the commands and what they have in common, their output as text or JSON, and exit codes.

import { cac } from "cac";
import { closest, DiagnosticError, refuse } from "../compiler/index.ts";
import { bench } from "./commands/bench.ts";
import { cache } from "./commands/cache.ts";
import { doctor } from "./commands/doctor.ts";
import { init } from "./commands/init.ts";
import { inspect } from "./commands/inspect.ts";
import { mergeLock } from "./commands/merge-lock.ts";
import { pack } from "./commands/pack.ts";
import { report } from "./commands/report.ts";
import { tune } from "./commands/tune.ts";
import { types } from "./commands/types.ts";
import { verify } from "./commands/verify.ts";
import { worker } from "./commands/worker.ts";
import { badArgument, type CommandOption, type Flags } from "./flags/flags.ts";
import { projectOptions } from "./flags/project-flags.ts";
import { nameOfFlag, withTypedValues } from "./flags/typed-values.ts";
import { type Command, exitCodes, type Outcome, usageCodes } from "./project/command.ts";
import { coloured, hasColours } from "./terminal/colours.ts";
import { watchStandardOutput } from "./terminal/standard-output.ts";

export const commands: readonly Command[] = [
  init,
  types,
  tune,
  bench,
  inspect,
  report,
  verify,
  cache,
  pack,
  mergeLock,
  worker,
  doctor,
];
const name = "unplugin-kernel";

/** Options that every command takes. */
export const commonOptions: readonly CommandOption[] = [
  ...projectOptions,
  { flags: "--json", description: "what it found, as JSON on standard output" },
];

/** Options without effect on a command, by its name: it refuses them, so that users do not rely on them. */
const unused: Readonly<Record<string, readonly string[]>> = {
  init: ["lockfile", "cache-dir", "backend", "numerics"],
  types: ["lockfile", "cache-dir", "numerics"],
  inspect: ["include"],
  "merge-lock": ["cache-dir", "include", "backend", "numerics"],
};

export const commonOptionsOf = ({ usage }: Command): readonly CommandOption[] =>
  commonOptions.filter(({ flags }) => !unused[usage.split(" ")[0]!]?.includes(nameOfFlag(flags)));

const isUsageError = (error: unknown): boolean => error instanceof Error && error.name === "CACError";

/** @throws DiagnosticError `command.bad-argument` */
function budgetOf({ seconds, trials, total }: Flags): Record<string, number> {
  const given = Object.entries({ seconds, trials, total }).filter(([, value]) => value !== undefined);
  for (const [key, value] of given) {
    const isCount = key === "trials";
    if (!(Number(value) > 0) || (isCount && !Number.isInteger(Number(value))))
      throw badArgument(`--${key} is "${value}"`, isCount ? "a whole number above 0" : "a number above 0");
  }
  return Object.fromEntries(given.map(([key, value]) => [key, Number(value)]));
}

/** Outcome of a command that failed with a diagnostic. */
function failureOf({ diagnostic, message: text }: DiagnosticError): Outcome {
  const { code, message, hint, detail } = diagnostic;
  const exitCode = usageCodes.includes(code) ? exitCodes.usage : exitCodes.wrong;
  return { exitCode, json: { error: { code, message, hint, detail } }, text };
}

function unknownCommand(given: string | undefined): DiagnosticError {
  const names = commands.map(({ usage }) => usage.split(" ")[0]!);
  const all = `${names.join(", ")}; --help says more`;
  if (given === undefined) return badArgument("unplugin-kernel is given no command", all);
  const meant = closest(given, names);
  const said = `unplugin-kernel has no command ${given}${meant === null ? "" : `: did you mean ${meant}?`}`;
  return badArgument(said, all);
}

/** Error for cac's own words on options and arguments, with the option that was meant. */
function usageError(message: string, flagNames: readonly string[]): DiagnosticError {
  const unknown = /^Unknown option `--?([\w-]+)`/.exec(message)?.[1];
  const meant = unknown === undefined ? null : closest(unknown, flagNames);
  return badArgument(message, meant === null ? "what --help of the command lists" : `did you mean --${meant}?`);
}

/** Hints for what a system says of a path. Of any other error of the system the first holds. */
const hints: Readonly<Record<string, string>> = {
  other: "see to it that this user may read and write it, or name another place",
  ENOENT: "name a file that is there, or make its folder",
  EISDIR: "it is a folder: name a file",
  ENAMETOOLONG: "name a shorter path",
  ENOSPC: "make room on the disk",
};

/** Errors of a file that is open already, which have no path. */
const ofOpenFiles = ["EISDIR", "ENOSPC", "EDQUOT", "EFBIG", "EIO"];

/** A mistake in the project, or a path that the system refuses; null: anything else is a bug, and its stack tells of it. */
function diagnosticOf(error: unknown): DiagnosticError | null {
  if (error instanceof DiagnosticError) return error;
  const { code = "", path, syscall = "", message } = error as NodeJS.ErrnoException;
  // A program that cannot be started has a path, too: which ones are looked for is for us to know.
  const isOfFile = path === undefined ? ofOpenFiles.includes(code) : syscall !== "" && !syscall.startsWith("spawn");
  if (!isOfFile) return null;
  const hint = hints[code] ?? hints.other!;
  return refuse("command.no-access", message, hint);
}

/** Names of the options of a command that take a value. */
const valueOptionsOf = (command: Command): readonly string[] =>
  [...command.options, ...commonOptionsOf(command)]
    .filter(({ flags }) => flags.includes("<"))
    .map(({ flags }) => nameOfFlag(flags));

/** @param argv as `process.argv` */
async function outcomeOf(
  command: Command,
  args: readonly string[],
  read: Flags,
  argv: readonly string[],
): Promise<Outcome> {
  try {
    const flags = withTypedValues(read, valueOptionsOf(command), argv);
    if (args.includes("")) throw badArgument("an argument is empty", command.usage);
    const [{ openProject }, { loadBackends }, { run }] = await Promise.all([
      import("./project/project.ts"),
      import("../plugin/options/load-backends.ts"),
      command.load(),
    ]);
    const project = openProject(flags, flags.json ? "warn" : "info", budgetOf(flags));
    await loadBackends(project.options);
    return await run(project, args, flags);
  } catch (error) {
    const diagnostic = diagnosticOf(error);
    if (!diagnostic) throw error;
    return failureOf(diagnostic);
  }
}

function print({ exitCode, json, text }: Outcome, asJson: unknown): void {
  const stream = asJson || exitCode === exitCodes.done ? process.stdout : process.stderr;
  const shown = hasColours(stream) ? coloured(text) : text;
  stream.write(`${asJson ? JSON.stringify(json, null, 2) : shown}\n`);
  process.exitCode = exitCode;
}

/** @param argv as `process.argv` */
export async function main(argv: readonly string[], version: string): Promise<void> {
  watchStandardOutput();
  const cli = cac(name);
  cli.help();
  cli.version(version);
  for (const command of commands) {
    const entry = cli.command(command.usage, command.description);
    for (const { flags, description } of [...command.options, ...commonOptionsOf(command)])
      entry.option(flags, description);
    for (const example of command.examples) entry.example(`  npx ${example}`);
    entry.action(async (...given: unknown[]) => {
      const flags = given.at(-1) as Flags;
      const args = given
        .slice(0, -1)
        .flat()
        .filter((it) => it !== undefined);
      print(await outcomeOf(command, args.map(String), flags, argv), flags.json);
    });
  }
  // cac leaves it out of the arguments.
  if (argv.includes("-")) {
    print(failureOf(badArgument("- is no file here", "the path of a file")), argv.includes("--json"));
    return;
  }
  try {
    const { args, options } = cli.parse([...argv], { run: false });
    const wantsNothing = options.help || options.version;
    if (!cli.matchedCommand && !wantsNothing) {
      print(failureOf(unknownCommand(args[0])), options.json);
      return;
    }
    await cli.runMatchedCommand();
  } catch (error) {
    if (!isUsageError(error)) throw error;
    const flagNames = (cli.matchedCommand?.options ?? []).map((option) => nameOfFlag(option.rawName));
    print(failureOf(usageError((error as Error).message, flagNames)), argv.includes("--json"));
  }
}
