// The arguments that the functions of `unplugin-kernel/api` share: an operator and options → the task, its space, and
// the key of its records.

import {
  type ComputeDef,
  codeGeneratorOf,
  type DiagnosticCode,
  DiagnosticError,
  instantiate,
  isOpName,
  malformed,
  mostThreads,
  type Numerics,
  type Op,
  type OwnIntrinsic,
  ownIntrinsics,
  type Parameters,
  type Target,
  type TargetName,
  targetNamed,
  targetNames,
} from "../compiler/index.ts";
import { hostTarget } from "../native/machine/machine.ts";
import { type OwnTarget, ownTarget } from "../native/toolchain/own-target.ts";
import type { Postprocessor, Space } from "../tuner/data/space.ts";
import type { TuningTask } from "../tuner/data/task.ts";
import { taskKey } from "../tuner/data/task-key.ts";
import type { SpaceRule } from "../tuner/space/draft/space-rule.ts";
import { type GeneratedSpace, generateSpace } from "../tuner/space/generate.ts";
import { spaceRulesOf } from "../tuner/space/space-rules.ts";
import type { SpaceEntry } from "../tuner/space/template/entries.ts";
import { checkedPostprocessors, checkedRules, entriesOf, type SpaceGenerator } from "./space.ts";

export interface KernelOptions {
  /** Target of ours by name, this machine's best (`"native"`), one of a back end that `useBackend` was given, or one of your own: docs/extending.md. */
  readonly target: TargetName | "native" | (string & {}) | OwnTarget;
  /** Instructions of your own, which the rules use wherever an operator computes what they mean: docs/extending.md. */
  readonly intrinsics?: readonly OwnIntrinsic[];
  /** Values for the operator's parameters; its defaults for the others. */
  readonly parameters?: Parameters;
  readonly numerics?: Numerics;
  /** Number of threads that share the outermost loops; default: 1. The result has the same bits. docs/threads.md */
  readonly threads?: number;
  /**
   * Inputs that stay the same from call to call, such as weights: they may be laid out anew, what depends on them alone is
   * computed once, by `load(…).pack`, and measured without that. Default: those of `withConstants`.
   */
  readonly constants?: readonly string[];
  /** Rules of your own for generating the space, asked before ours: docs/rules.md. A schedule belongs to its rules. */
  readonly rules?: readonly SpaceRule[];
  /**
   * Candidates to search: templates and schedules of your own, and `"generated"` for the space that the rules make.
   * Default: `["generated"]`. With `[tiled]` only your template is searched, with `["generated", tiled]` both.
   * A generator of your own makes entries for each task. docs/templates.md
   */
  readonly templates?: readonly (SpaceEntry | SpaceGenerator)[];
  /** Checks that may refuse a candidate before it is built: `[codeSizeLimit({ statements: 20_000 })]`. */
  readonly postprocessors?: readonly Postprocessor[];
}

export function spaceOf(
  task: TuningTask,
  { rules = [], templates, postprocessors = [] }: KernelOptions,
): GeneratedSpace {
  const own = [...checkedRules(rules), ...spaceRulesOf(task.target).rules];
  return {
    ...generateSpace(task, own, templates && entriesOf(templates, task)),
    postprocessors: checkedPostprocessors(postprocessors),
  };
}

/** Returns the target of a kernel, with the intrinsics that it may use. */
export function targetOf({ target, intrinsics = [] }: Pick<KernelOptions, "target" | "intrinsics">): Target {
  const known = typeof target === "string" ? hostTarget(namedTarget(target)) : ownTarget(target);
  const own = ownIntrinsics(intrinsics, isOpName);
  return own.length === 0 ? known : { ...known, intrinsics: own };
}

function namedTarget(name: string): string {
  const known = ["native", ...targetNames];
  if (known.includes(name) || targetNamed(name)) return name;
  throw malformed(`target is "${name}"`, `there are ${known.join(", ")}, or an object of yours`);
}

export function taskOf(op: Op, options: KernelOptions): TuningTask {
  const { parameters = {}, numerics = "fast", threads = 1 } = options;
  if (!Number.isInteger(threads) || threads < 1 || threads > mostThreads)
    throw refusal("task.threads", `threads is ${threads}, a whole number from 1 to ${mostThreads} is wanted`, null);
  const def: ComputeDef = instantiate(op, parameters, "kernel");
  const target = { ...targetOf(options), threads };
  const why = codeGeneratorOf(target).cannotCompute?.(def, numerics);
  if (why) throw refusal("backend.cannot", why, null);
  const task: TuningTask = { op: def, target, numerics, threads };
  const constants = options.constants ?? def.constants;
  if (!constants) return task;
  const unknown = constants.find((name) => def.inputs.every((input) => input.name !== name));
  if (unknown === undefined) return { ...task, constants };
  const known = def.inputs.map(({ name }) => name).join(", ");
  throw refusal("task.unknown-constant", `${unknown} is no input of the operator: ${known}`, null);
}

/** Key of a task's records. With rules or templates of one's own it is another: those records are not asked for without them. */
export const taskKeyOf = (task: TuningTask, space: Space, { rules = [], templates }: KernelOptions): string =>
  taskKey(task, rules.length > 0 || templates ? space : null);

export const refusal = (code: DiagnosticCode, message: string, detail: string | null): DiagnosticError =>
  new DiagnosticError({ code, message, loc: null, hint: null, detail });
