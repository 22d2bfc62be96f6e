// The worker that compiles kernels for a program that runs from its sources, and that waits for it.

import { answerQuestions } from "../../native/process/waiting-worker.ts";
import { type ErrorText, errorText } from "./plain-error.ts";
import type { ModuleCompiler, ModuleQuestion } from "./register-compiler.ts";

export type ModuleAnswer =
  /** Null: the file is no operator file. */
  { readonly kind: "module"; readonly code: string | null } | { readonly kind: "mistake"; readonly error: ErrorText };

// Deno throws where a worker asks whether its process has a parent that it talks to, as execa does when it is loaded.
if ("Deno" in globalThis) Object.defineProperty(process, "channel", { value: undefined });

let compiler: Promise<ModuleCompiler> | null = null;

answerQuestions<ModuleAnswer>(async (question) => {
  try {
    // A failure to load the compiler is an answer, too: the program would wait forever.
    compiler ??= import("./register-compiler.ts").then(({ createCompiler }) => createCompiler());
    return { kind: "module", code: await (await compiler)(JSON.parse(question) as ModuleQuestion) };
  } catch (error) {
    return { kind: "mistake", error: errorText(error) };
  }
});
