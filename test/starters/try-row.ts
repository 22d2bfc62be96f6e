// A starter → what comes of it: made, the package installed from its tarball, wired by `init`, tuned for a moment, its types checked,
// built, and asked for the right numbers.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { noBrowser } from "../support/browser.ts";
import type { Result } from "./record.ts";
import { type Commands, type Project, type Row, right } from "./row.ts";

const npm: Commands = {
  add: (tarball) => `npm install --no-audit --no-fund --save-dev ${tarball}`,
  exec: "npx",
  run: "npm run",
};

/** Enough that some candidates are measured on a machine that is busy, and no more. pnpm and Yarn give a script the `--`, too. */
const tuneBy = ({ run }: Commands): string =>
  `${run} tune ${run.startsWith("npm ") ? "-- " : ""}--seconds 20 --trials 4`;

function expectMatch(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Error(`${JSON.stringify(text.slice(0, 2000))} is not ${pattern}`);
}

function versionsOf({ folder }: Project, packages: readonly string[]): Readonly<Record<string, string>> {
  const versions = packages.map((name) => {
    const file = join(folder, "node_modules", name, "package.json");
    return [name, existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : "?"] as const;
  });
  return Object.fromEntries(versions);
}

export async function tryRow(row: Row, project: Project, tarball: string): Promise<Result> {
  const { commands = npm } = row;
  const seconds: Record<string, number> = {};
  const result = { types: "–", build: "–", answer: "–" };
  let failure: string | null = null;
  const step = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
    const start = performance.now();
    try {
      return await work();
    } finally {
      seconds[name] = Math.round((performance.now() - start) / 100) / 10;
    }
  };
  /** A part that fails does not keep the others from being tried. */
  const part = async (name: keyof typeof result, command: string, work: () => string | Promise<string>) => {
    try {
      const said = await step(name, work);
      result[name] = "ok";
      return said;
    } catch (error) {
      result[name] = "failed";
      failure ??= `${command}: ${(error as Error).message}`;
      return null;
    }
  };
  try {
    await step("create", () => row.create(project));
    await step("install", () => project.run(commands.add(tarball)));
    // Exit code 3, for what is left to be done by hand, is a failure here.
    await step("init", () => project.run(`${commands.exec} unplugin-kernel init`));
    expectMatch(project.run(`${commands.exec} unplugin-kernel init`), /^nothing to do/);
    row.write(project);
    // Types are checked before anything else runs, as editors and CI do.
    const { check, build } = row;
    const isByBuild = check === "by build";
    if (check !== null && !isByBuild) await part("types", check, () => project.run(check));
    await step("tune", () => project.run(tuneBy(commands)));
    if (build !== null) {
      await part("build", build, () => project.run(build));
      if (isByBuild) result.types = result.build;
    }
    const said = await part("answer", "the answer", async () => {
      const answer = await row.answer(project);
      if (answer !== noBrowser) expectMatch(answer, right);
      return answer;
    });
    if (said !== null && said === noBrowser) result.answer = said;
  } catch (error) {
    failure ??= (error as Error).message;
  }
  const steps = 3 + (row.build === null ? 0 : 1);
  return {
    name: row.name,
    made: row.made,
    versions: versionsOf(project, row.packages),
    steps,
    seconds,
    ...result,
    failure,
  };
}
