// The worker that compiles kernels for Jest's transformer, which waits for it: each becomes a module of its own, with the runtime in it, in the two
// formats that Jest takes.

import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DiagnosticError } from "../../compiler/index.ts";
import { renameOverSync } from "../../native/file/rename-over.ts";
import { answerQuestions } from "../../native/process/waiting-worker.ts";
import { moduleInCode } from "../binding/module/in-code.ts";
import { runtimePaths } from "../binding/runtime-files.ts";
import { compileKernel } from "../kernel/compile/compile-kernel.ts";
import type { CompiledKernel } from "../kernel/compiled-kernel.ts";
import type { Format } from "../kernel/stored/module-file.ts";
import { moduleFileName, modulesFolder } from "../kernel/stored/module-file.ts";
import { waitingSink } from "../log/waiting-sink.ts";
import { loadBackends } from "../options/load-backends.ts";
import { isCi } from "../options/options.ts";
import { locateOperator } from "../request/locate-operator.ts";
import { type ParsedRequest, parseRequest } from "../request/request.ts";
import { createSession, type Session } from "../session/session.ts";
import type { Answer, Mistake, ModulePaths, Question } from "./question.ts";

/** Code for the module's own address, which only modules have. */
const addressInCjs = `require("node:url").pathToFileURL(__filename).href`;

/** Bundles the text of a kernel's module with the runtime. */
async function bundled(source: string, folder: string, format: Format): Promise<string> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: folder },
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format,
    logLevel: "silent",
    ...(format === "cjs" ? { define: { "import.meta.url": "importMetaUrl" } } : {}),
    ...(format === "cjs" ? { banner: { js: `const importMetaUrl = ${addressInCjs};` } } : {}),
  });
  return outputFiles[0]!.text;
}

async function writeModule(kernel: CompiledKernel, folder: string, format: Format): Promise<string> {
  const beside = join(folder, basename(kernel.op));
  const source = moduleInCode(kernel, beside, "node", { files: runtimePaths(), hasSchedule: true });
  const code = await bundled(source, folder, format);
  const file = join(folder, moduleFileName(kernel.op, code, format));
  // A file of that name may be somebody else's, or cut short: it is run.
  if (!holds(file, code)) replace(file, code);
  return file;
}

/** Says whether a file has exactly this text. What is no file, or cannot be read, has not: nobody might ever write into a pipe. */
function holds(file: string, text: string): boolean {
  try {
    return lstatSync(file).isFile() && readFileSync(file, "utf8") === text;
  } catch {
    return false;
  }
}

/** Writes a file under another name, and renames it: a link of its name is replaced, and what it leads to left alone. */
function replace(file: string, text: string): void {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: "wx" });
    renameOverSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

async function writeModules(session: Session, request: ParsedRequest): Promise<ModulePaths> {
  const kernel = await session.compile(request);
  const folder = modulesFolder(session.options().cacheDir);
  mkdirSync(folder, { recursive: true });
  const [esm, cjs] = await Promise.all([writeModule(kernel, folder, "esm"), writeModule(kernel, folder, "cjs")]);
  return { esm, cjs };
}

/** The kernel that a specifier asks for; null: that is for others to say. */
async function requestOf(specifier: string, importer: string, session: Session): Promise<ParsedRequest | null> {
  const request = parseRequest(specifier);
  const path = request && (await locateOperator(specifier, importer));
  return path && existsSync(path) && session.options().accepts(path) ? { ...request, path } : null;
}

/** A test measures nothing: a kernel that has no decision gets the schedule that the model takes for the best. */
const modeOfTests = (): "frozen" | "predict" => (isCi() ? "frozen" : "predict");

/** A failure that is not the user's has its stack, to be reported. */
function mistakeOf(error: unknown, specifier: string): Mistake {
  const { message, stack = message } = error as Error;
  return { message: error instanceof DiagnosticError ? message : stack, specifier };
}

/** @throws DiagnosticError the options are wrong */
async function modulesFor({ root, options, importer, specifiers }: Question): Promise<Answer> {
  const session = createSession({ ...options, mode: options.mode ?? modeOfTests() }, compileKernel);
  session.configure(root, waitingSink);
  await loadBackends(session.options());
  let mistake: Mistake | null = null;
  const write = async (specifier: string): Promise<readonly (readonly [string, ModulePaths])[]> => {
    try {
      const request = await requestOf(specifier, importer, session);
      return request ? [[specifier, await writeModules(session, request)]] : [];
    } catch (error) {
      mistake ??= mistakeOf(error, specifier);
      return [];
    }
  };
  const made = await Promise.all(specifiers.map(write));
  await session.finish(false);
  return { modules: Object.fromEntries(made.flat()), mistake };
}

answerQuestions<Answer>(async (text) => {
  const question = JSON.parse(text) as Question;
  try {
    return await modulesFor(question);
  } catch (error) {
    return { modules: {}, mistake: mistakeOf(error, question.specifiers[0]!) };
  }
});
