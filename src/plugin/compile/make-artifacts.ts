// A decision → the bytes that are shipped: the WASM module and its relaxed twin, and for a native target the addon. What
// the store holds is used as it is; what it lacks is built and stored.

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CSource, kernelName, type Numerics, sha256, type WasmSource, wasmSource } from "../../compiler/index.ts";
import { buildNative } from "../../native/build.ts";
import { hostTarget } from "../../native/toolchain/machine.ts";
import { codeFlags } from "../../native/toolchain/toolchain.ts";
import { candidateKernel } from "../../tuner/candidate-kernel.ts";
import { predict } from "../../tuner/predict.ts";
import { generateSpace } from "../../tuner/space/generate.ts";
import { artifactKey } from "../../tuner/store/key.ts";
import { type ArtifactEntry, storeSchema } from "../../tuner/store/store-entry.ts";
import type { TuningTask } from "../../tuner/task.ts";
import type { NativeKernel } from "../compiled-kernel.ts";
import type { Decision } from "./decide-schedule.ts";
import { type KernelContext, refuse } from "./kernel-context.ts";

export interface Artifacts {
  readonly wasm: WasmSource | null;
  readonly relaxed: WasmSource | null;
  readonly native: NativeKernel | null;
  readonly compilerRuns: number;
}

export async function makeArtifacts(context: KernelContext, decision: Decision): Promise<Artifacts> {
  if (decision.task.target.codegen === "wasm") {
    return { ...(await wasmPair(context, decision.task, decision)), native: null, compilerRuns: 0 };
  }
  const native = await nativeKernel(context, decision);
  if (!native && context.request.fallback === "none") {
    throw refuse("target.no-compiler", noCompiler(context), "install one, or leave out fallback=none");
  }
  if (!native) context.services.log.warn(`${noCompiler(context)}; the WASM twin runs instead`);
  const twin = context.request.fallback === "none" ? { wasm: null, relaxed: null } : await wasmTwin(context);
  return { ...twin, native: native?.kernel ?? null, compilerRuns: native?.compilerRuns ?? 0 };
}

const noCompiler = ({ lockName }: KernelContext): string => `${lockName}: no C compiler found (looked for gcc, clang)`;

// ── WASM ────────────────────────────────────────────────────────────────────────────────────────────────────────────

type WasmPair = Pick<Artifacts, "wasm" | "relaxed">;

/** The module of a schedule and, where sums and products may be fused, its twin for engines with relaxed SIMD. */
async function wasmPair(
  context: KernelContext,
  task: TuningTask,
  { candidate, source }: Pick<Decision, "candidate" | "source">,
): Promise<WasmPair> {
  const { store, op } = context;
  const name = kernelName(op, task.target);
  const key = artifactKey({ schedule: context.key, candidate, source, toolchain: wasmToolchain });
  const blobs = await storedBlobs(context, key, ["wasm", "relaxed"]);
  if (blobs) {
    const [wasm, relaxed] = blobs;
    return { wasm: wasmSource(op, name, wasm!, false), relaxed: wasmSource(op, name, relaxed!, true) };
  }
  const space = generateSpace(task);
  const make = (relaxed: boolean): WasmSource => {
    const kernel = candidateKernel(task, space, candidate, { verify: true, relaxed });
    if (kernel.kind !== "ok" || kernel.source.kind !== "wasm") throw staleDecision(context);
    return kernel.source;
  };
  const pair = { wasm: make(false), relaxed: make(task.numerics === "fast") };
  if (sha256(pair.wasm.bytes) !== source) throw staleDecision(context);
  await keepBlobs(store, key, { wasm: pair.wasm.bytes, relaxed: pair.relaxed.bytes });
  return pair;
}

const wasmToolchain = { name: "wasm", version: "1", triple: null, options: [] };

/** The decisions do not lead to the source that they led to when they were written down. */
const staleDecision = ({ lockName }: KernelContext) =>
  refuse(
    "lock.other-source",
    `${lockName}: the locked decisions no longer generate the locked source`,
    "the lock was edited, or made by another version: delete the entry and build again",
  );

/** For a native target: the predicted schedule of the same operator for WASM, the same on every machine. */
async function wasmTwin(context: KernelContext): Promise<WasmPair> {
  const task: TuningTask = { ...context.task, target: { ...hostTarget("wasm", context.machine), threads: 1 } };
  const key = artifactKey({
    schedule: context.key,
    candidate: { template: "twin", assignment: {} },
    source: context.opDigest,
    toolchain: wasmToolchain,
  });
  const blobs = await storedBlobs(context, key, ["wasm", "relaxed"]);
  const name = kernelName(context.op, task.target);
  if (blobs) {
    const [wasm, relaxed] = blobs;
    return { wasm: wasmSource(context.op, name, wasm!, false), relaxed: wasmSource(context.op, name, relaxed!, true) };
  }
  const space = generateSpace(task);
  const candidate = predict(space);
  if (!candidate) return { wasm: null, relaxed: null };
  const kernels = [false, true].map((relaxed) =>
    candidateKernel(task, space, candidate, { verify: true, relaxed: relaxed && task.numerics === "fast" }),
  );
  const [wasm, relaxed] = kernels.map((kernel) =>
    kernel.kind === "ok" && kernel.source.kind === "wasm" ? kernel.source : null,
  );
  if (wasm && relaxed) await keepBlobs(context.store, key, { wasm: wasm.bytes, relaxed: relaxed.bytes });
  return { wasm: wasm ?? null, relaxed: relaxed ?? null };
}

// ── native ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface BuiltNative {
  readonly kernel: NativeKernel;
  readonly compilerRuns: number;
}

/** The addon that was measured, if the store has it; else one built here. Null: there is no compiler. */
async function nativeKernel(context: KernelContext, decision: Decision): Promise<BuiltNative | null> {
  const known =
    decision.measured &&
    (await storedBlobs(context, addonKey(context, decision, decision.measured.toolchain), ["addon"]));
  if (known) return { kernel: await shipped(context, decision, known[0]!), compilerRuns: 0 };
  const toolchain = await context.toolchain();
  if (!toolchain) return null;
  const key = addonKey(context, decision, toolchain.identity);
  const stored = await storedBlobs(context, key, ["addon"]);
  if (stored) return { kernel: await shipped(context, decision, stored[0]!), compilerRuns: 0 };
  const bytes = await buildAddon(context, decision);
  await keepBlobs(context.store, key, { addon: bytes });
  return { kernel: await shipped(context, decision, bytes), compilerRuns: 1 };
}

const addonKey = ({ key, machine }: KernelContext, { candidate, source, task }: Decision, identity: string): string =>
  artifactKey({
    schedule: key,
    candidate,
    source,
    toolchain: {
      name: identity.split(" ")[0]!,
      version: identity,
      triple: machine.platform,
      options: [...flagsOf(task.numerics), ...task.target.features],
    },
  });

const flagsOf = (numerics: Numerics): readonly string[] => codeFlags(numerics);

async function buildAddon(
  context: KernelContext,
  { task, candidate, source }: Decision,
): Promise<Uint8Array<ArrayBuffer>> {
  const kernel = candidateKernel(task, generateSpace(task), candidate, { verify: true });
  if (kernel.kind !== "ok" || kernel.source.kind !== "c") throw staleDecision(context);
  if (sha256(kernel.source.text) !== source) throw staleDecision(context);
  const directory = await mkdtemp(join(tmpdir(), "unplugin-kernel-"));
  try {
    return await compiled(context, kernel.source, directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function compiled(context: KernelContext, source: CSource, outDir: string): Promise<Uint8Array<ArrayBuffer>> {
  const toolchain = (await context.toolchain())!;
  const artifact = await buildNative([source], { outDir, toolchain, signal: context.services.signal });
  if (artifact.kind === "native") return new Uint8Array(await readFile(artifact.path));
  throw refuse(
    "build.failed",
    `${context.lockName}: ${toolchain.identity} refused the kernel: ${artifact.reason}`,
    null,
  );
}

/** Dev servers emit nothing: they load the addon from a file under the cache directory, named by its content. */
async function shipped(context: KernelContext, { task }: Decision, bytes: Uint8Array): Promise<NativeKernel> {
  const directory = join(context.services.options.cacheDir, "addons");
  const path = join(directory, `${context.name}-${sha256(bytes).slice(0, 16)}.node`);
  await mkdir(directory, { recursive: true });
  await writeFile(path, bytes, { flag: "wx" }).catch(ignoreExisting);
  return { bytes, path, index: 0, features: task.target.features, platform: context.machine.platform };
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
}

// ── store ───────────────────────────────────────────────────────────────────────────────────────────────────────────

type Bytes = Uint8Array<ArrayBuffer>;

/** The blobs of an artifact by role, or null if one is missing. */
async function storedBlobs({ store }: KernelContext, key: string, roles: readonly string[]): Promise<Bytes[] | null> {
  const entry = await store.entry(key);
  if (entry?.kind !== "artifact") return null;
  const blobs = await Promise.all(roles.map((role) => blobOf(store, entry, role)));
  return blobs.some((blob) => blob === null) ? null : (blobs as Bytes[]);
}

async function blobOf(store: KernelContext["store"], { blobs }: ArtifactEntry, role: string): Promise<Bytes | null> {
  const facts = blobs[role];
  const bytes = facts ? await store.blob(facts.sha256) : null;
  return bytes && new Uint8Array(bytes);
}

async function keepBlobs(
  store: KernelContext["store"],
  key: string,
  blobs: Readonly<Record<string, Bytes>>,
): Promise<void> {
  for (const bytes of Object.values(blobs)) if (await store.putBlob(bytes)) return;
  const facts = Object.entries(blobs).map(([role, bytes]) => [role, { sha256: sha256(bytes), bytes: bytes.length }]);
  await store.putEntry(key, { kind: "artifact", schema: storeSchema, blobs: Object.fromEntries(facts) });
}
