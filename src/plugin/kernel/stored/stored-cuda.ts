// A schedule for NVIDIA's GPUs → the code that the store has of it: by the compiler that is here, and where none is, by any, else
// what was printed. PTX is a text
// for a virtual machine, so what one compiler made serves everywhere; a driver that does not take the machine code beside it compiles that.

import type { BoxMap, CudaLaunch } from "../../../compiler/index.ts";
import type { CudaFunction } from "../../../native/addon/artifact.ts";
import type { CudaTools } from "../../../native/cuda/cuda-tools.ts";
import type { Decision } from "../../../tuner/data/decision.ts";
import { artifactKey, scheduleKey } from "../../../tuner/data/key.ts";
import { type Blobs, textBlob, textOf } from "../../../tuner/store/blobs.ts";
import { integer, list, nullable, object, oneOf, optional, ShapeError, text } from "../../../tuner/support/strict.ts";
import type { BuiltBlobs } from "../built-kernel.ts";
import type { KernelContext } from "../context/kernel-context.ts";
import { keyFields } from "../schedule.ts";
import type { CudaCode } from "../twin.ts";
import { keepBlobs, storedBlobs } from "./artifact-store.ts";

/** Code of a schedule, as the store keeps it. */
export type StoredCuda = Omit<CudaCode, "split">;

/** Compiler of an entry that any machine finds. */
const anyCompiler = "any CUDA compiler";

type Facts = BuiltBlobs["facts"];

export interface FoundCuda {
  readonly code: StoredCuda;
  readonly facts: Facts;
}

/** Version of the code and form of the blobs. */
const formVersion = 2;

/** @param identity of the compiler: "NVRTC 13.0"; null: any */
const cudaKey = ({ task, candidate, source }: Decision, identity: string | null): string =>
  artifactKey({
    schedule: scheduleKey(keyFields(task)),
    candidate,
    source,
    toolchain: {
      name: "cuda",
      version: `${identity ?? anyCompiler} ${formVersion}`,
      triple: null,
      options: [...task.target.features],
    },
  });

type Shape = Pick<CudaFunction, "launches" | "scratch">;

interface Shapes {
  readonly architecture: string;
  readonly run: Shape;
  readonly prepare: Shape | null;
}

/** A map whose box may be of any number of dimensions. */
interface AnyMap extends Omit<BoxMap, "box"> {
  readonly box: readonly number[];
}

const decodeMap = object<AnyMap>({
  array: integer(0, 1000),
  elementBytes: oneOf(1, 2),
  columns: integer(1, 2 ** 31 - 1),
  rows: integer(1, 2 ** 31 - 1),
  box: list(integer(1, 256), 2),
});

const decodeAxes = list(integer(1, 2 ** 31 - 1), 3);

/** A launch whose lists may be of any length. */
interface AnyLaunch extends Omit<CudaLaunch, "grid" | "group" | "maps"> {
  readonly grid: readonly number[];
  readonly group: readonly number[];
  readonly maps?: readonly AnyMap[];
}

const decodeLaunch = object<AnyLaunch>({
  entry: text(200, /^[A-Za-z_]\w*$/),
  grid: decodeAxes,
  group: decodeAxes,
  groupBytes: integer(0, 2 ** 20),
  cluster: optional(integer(2, 8)),
  maps: optional(list(decodeMap, 1000)),
});

const isLaunch = ({ grid, group, maps = [] }: AnyLaunch): boolean =>
  grid.length === 3 && group.length === 3 && maps.every(({ box }) => box.length === 2);

const decodeShape = object({
  launches: list(decodeLaunch, 1000),
  scratch: list(integer(0, 2 ** 40), 1000),
});

const decodeShapes = object({
  architecture: text(20, /^sm_\d+a?$/),
  run: decodeShape,
  prepare: nullable(decodeShape),
});

/** Reads the launches of a stored kernel. Null: they are not exactly that. */
export function shapesIn(blob: Blobs[string]): Shapes | null {
  try {
    const shapes = decodeShapes(JSON.parse(textOf(blob)), []) as Shapes;
    const launches = [shapes.run, ...(shapes.prepare ? [shapes.prepare] : [])].flatMap((it) => it.launches);
    return launches.every(isLaunch) ? shapes : null;
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Returns what the store has of what is here or, where that is no compiler, of any one; null: nothing. */
export async function storedCuda(
  context: KernelContext,
  schedule: Decision,
  { identity, isCompiler }: Pick<CudaTools, "identity" | "isCompiler">,
): Promise<FoundCuda | null> {
  const ofAny = isCompiler ? null : await storedUnder(context, cudaKey(schedule, null));
  return ofAny ?? storedUnder(context, cudaKey(schedule, identity));
}

async function storedUnder(context: KernelContext, key: string): Promise<FoundCuda | null> {
  const stored = await storedBlobs(context, key);
  if (!stored) return null;
  const { blobs, facts } = stored;
  const shapes = blobs.launches ? shapesIn(blobs.launches) : null;
  const run = shapes && functionIn(blobs, "run", shapes.run);
  const prepare = shapes?.prepare ? functionIn(blobs, "prepare", shapes.prepare) : null;
  if (!run || (shapes.prepare && !prepare)) return null;
  return { code: { architecture: shapes.architecture, run, prepare }, facts };
}

type Role = "run" | "prepare";

function functionIn(blobs: Blobs, role: Role, shape: Shape): CudaFunction | null {
  const [ptx, cubin] = [blobs[`${role}.ptx`], blobs[`${role}.cubin`]];
  if (!ptx) return null;
  return { ptx: textOf(ptx), ...(cubin && { cubin: Buffer.from(cubin).toString("base64") }), ...shape };
}

const blobsOf = (role: Role, { ptx, cubin }: CudaFunction): Blobs => ({
  [`${role}.ptx`]: textBlob(ptx),
  ...(cubin !== undefined && { [`${role}.cubin`]: new Uint8Array(Buffer.from(cubin, "base64")) }),
});

/** Keeps new code under what has made it, and that of a compiler for machines without one. */
export async function keepCuda(
  context: KernelContext,
  schedule: Decision,
  { identity, isCompiler }: Pick<CudaTools, "identity" | "isCompiler">,
  { code, facts }: FoundCuda,
): Promise<void> {
  const { architecture, run, prepare } = code;
  const shapeOf = ({ launches, scratch }: CudaFunction): Shape => ({ launches, scratch });
  const shapes: Shapes = { architecture, run: shapeOf(run), prepare: prepare && shapeOf(prepare) };
  const blobs = {
    ...blobsOf("run", run),
    ...(prepare && blobsOf("prepare", prepare)),
    launches: textBlob(JSON.stringify(shapes)),
  };
  const keys = [cudaKey(schedule, identity), ...(isCompiler ? [cudaKey(schedule, null)] : [])];
  for (const key of keys) await keepBlobs(context, key, { blobs, facts });
}
