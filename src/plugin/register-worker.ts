// The worker behind `require` of a kernel: a path with its query → the text of a module in CommonJS.

import { answerQuestions } from "../native/waiting-worker.ts";
import { waitingSink } from "./waiting-sink.ts";

export type RequireAnswer =
  | { readonly kind: "module"; readonly code: string }
  /** The file is no operator file. */
  | { readonly kind: "none" }
  | { readonly kind: "mistake"; readonly name: string; readonly message: string };

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
  configure(process.cwd(), waitingSink);
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
