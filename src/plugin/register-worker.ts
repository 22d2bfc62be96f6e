// The worker behind `require` of a kernel: a path with its query → the text of a module in CommonJS.

import { writeSync } from "node:fs";
import { answerQuestions } from "../native/waiting-worker.ts";

export type RequireAnswer =
  | { readonly kind: "module"; readonly code: string }
  /** The file is no operator file. */
  | { readonly kind: "none" }
  | { readonly kind: "mistake"; readonly name: string; readonly message: string };

const standardError = 2;
/** What a worker prints is shown by the main thread, which waits: this is written at once. */
const line = (text: string): void => void writeSync(standardError, `${text}\n`);

async function start() {
  const [{ compileKernel }, { moduleInCode }, { modeOfProgram }, { parseRequest }, files, session] = await Promise.all([
    import("./compile-kernel.ts"),
    import("./emit/in-code.ts"),
    import("./options.ts"),
    import("./request.ts"),
    import("./runtime-files.ts"),
    import("./session.ts"),
  ]);
  const { options, compile, configure, finish } = session.createSession({ mode: modeOfProgram() }, compileKernel);
  configure(process.cwd(), { info: line, warn: line });
  return async (id: string): Promise<RequireAnswer> => {
    const request = parseRequest(id);
    if (!request || !options().accepts(request.path)) return { kind: "none" };
    const kernel = await compile(request);
    await finish(false);
    const module = { files: files.runtimePaths(), hasSchedule: true, isCommonJs: true };
    return { kind: "module", code: moduleInCode(kernel, request.path, "node", module) };
  };
}

let started: ReturnType<typeof start> | null = null;

answerQuestions<RequireAnswer>(async (id) => {
  try {
    started ??= start();
    return await (await started)(id);
  } catch (error) {
    const { name, message } = error as Error;
    return { kind: "mistake", name, message };
  }
});
