// `npx unplugin-kernel <command>`: the commands and what they have in common, their output as text or JSON, and exit codes.

import { cac } from "cac";
import { DiagnosticError } from "../compiler/index.ts";
import {
  badArgument,
  type Command,
  type CommandOption,
  exitCodes,
  type Flags,
  type Outcome,
  usageCodes,
} from "./command.ts";
import { bench } from "./commands/bench.ts";
import { cache } from "./commands/cache.ts";
import { doctor } from "./commands/doctor.ts";
import { init } from "./commands/init.ts";
import { inspect } from "./commands/inspect.ts";
import { report } from "./commands/report.ts";
import { tune } from "./commands/tune.ts";
import { types } from "./commands/types.ts";
import { verify } from "./commands/verify.ts";
import { openProject, projectOptions } from "./project.ts";

export const commands: readonly Command[] = [init, types, tune, bench, inspect, report, verify, cache, doctor];
const name = "unplugin-kernel";

/** What every command takes. */
export const commonOptions: readonly CommandOption[] = [
  ...projectOptions,
  { flags: "--json", description: "what it found, as JSON on standard output" },
];

const isUsageError = (error: unknown): boolean => error instanceof Error && error.name === "CACError";

/** @throws DiagnosticError `command.bad-argument` */
function budgetOf({ seconds, trials, total }: Flags): Record<string, number> {
  const given = Object.entries({ seconds, trials, total }).filter(([, value]) => value !== undefined);
  for (const [key, value] of given)
    if (!(Number(value) > 0)) throw badArgument(`--${key} is "${value}"`, "a number above 0");
  return Object.fromEntries(given.map(([key, value]) => [key, Number(value)]));
}

async function outcomeOf(command: Command, args: readonly string[], flags: Flags): Promise<Outcome> {
  try {
    const project = openProject(flags, flags.json ? "warn" : "info", budgetOf(flags));
    return await command.run(project, args, flags);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    const { code, message, hint, detail } = error.diagnostic;
    const exitCode = usageCodes.includes(code) ? exitCodes.usage : exitCodes.wrong;
    return { exitCode, json: { error: { code, message, hint, detail } }, text: error.message };
  }
}

function print({ exitCode, json, text }: Outcome, asJson: unknown): void {
  const output = `${asJson ? JSON.stringify(json, null, 2) : text}\n`;
  (asJson || exitCode === exitCodes.done ? process.stdout : process.stderr).write(output);
  process.exitCode = exitCode;
}

/** @param argv as `process.argv` */
export async function main(argv: readonly string[], version: string): Promise<void> {
  const cli = cac(name);
  cli.help();
  cli.version(version);
  for (const command of commands) {
    const entry = cli.command(command.usage, command.description);
    for (const { flags, description } of [...command.options, ...commonOptions]) entry.option(flags, description);
    for (const example of command.examples) entry.example(`  npx ${example}`);
    entry.action(async (...given: unknown[]) => {
      const flags = given.at(-1) as Flags;
      const args = given
        .slice(0, -1)
        .flat()
        .filter((it) => it !== undefined);
      print(await outcomeOf(command, args.map(String), flags), flags.json);
    });
  }
  try {
    const { args, options } = cli.parse([...argv], { run: false });
    const wantsNothing = options.help || options.version;
    if (!cli.matchedCommand && !wantsNothing) {
      const unknown = args.length > 0 ? `unplugin-kernel has no command ${args[0]}\n` : "";
      process.stderr.write(
        `${unknown}commands: ${commands.map(({ usage }) => usage.split(" ")[0]).join(", ")}; --help says more\n`,
      );
      process.exitCode = exitCodes.usage;
      return;
    }
    await cli.runMatchedCommand();
  } catch (error) {
    if (!isUsageError(error)) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = exitCodes.usage;
  }
}
