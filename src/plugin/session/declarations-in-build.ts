// Option `dts` beside a build: the declarations are made while the bundler works, once for all who ask at the same time. Nothing
// of it is loaded without the option.

import type { ResolvedOptions } from "../options/options.ts";
import { writeIfChanged } from "../support/write-if-changed.ts";

export interface DeclarationsInBuild {
  /** Makes the declarations again, as something may have changed. */
  refresh(): void;
  /**
   * Waits until they are written, if anything has asked for it.
   *
   * @throws what writing the file threw
   */
  settled(): Promise<void>;
}

type Problem = { readonly why: unknown } | null;

const load = () => import("../declarations/project-declarations.ts");

/** @param warn what keeps them from being made, but a file that cannot be written, is no reason to end a build */
export function createDeclarationsInBuild(
  options: () => ResolvedOptions,
  warn: (line: string) => void,
): DeclarationsInBuild {
  let last: Promise<Problem> = Promise.resolve(null);
  let isRunning = false;
  let isStale = false;

  async function textFor(dts: string): Promise<string | null> {
    try {
      const { projectDeclarations } = await load();
      // A build tells of mistakes in imports.
      return (await projectDeclarations(options(), dts, () => {})).text;
    } catch (error) {
      warn(`no types were written: ${error instanceof Error ? error.message : error}`);
      return null;
    }
  }

  async function make(dts: string): Promise<Problem> {
    isStale = false;
    const text = await textFor(dts);
    if (isStale) return make(dts);
    try {
      if (text !== null) writeIfChanged(dts, text);
      return null;
    } catch (why) {
      return { why };
    }
  }

  return {
    refresh() {
      const { dts } = options();
      if (dts === null) return;
      isStale = true;
      if (isRunning) return;
      isRunning = true;
      last = make(dts).finally(() => {
        isRunning = false;
      });
    },
    async settled() {
      const problem = await last;
      if (problem) throw problem.why;
    },
  };
}
