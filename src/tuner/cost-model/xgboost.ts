// The cost model of XGBoost, where its C library is installed: same interface as the boosted trees of this package,
// with which it is on a par at a tuner's sizes. The caller says where the library is; nothing is searched for.
// C API: https://xgboost.readthedocs.io/en/release_1.7.0/dev/c__api_8h.html

import type { CostModel, FeatureMatrix, Predictor, TrainingSet } from "./cost-model.ts";

export interface XgboostOptions {
  readonly objective: "reg:squarederror" | "rank:pairwise";
  readonly trees: number;
  readonly maxDepth: number;
  readonly learningRate: number;
}

export const defaultXgboost: XgboostOptions = {
  objective: "reg:squarederror",
  trees: 60,
  maxDepth: 6,
  learningRate: 0.2,
};

/** A pointer of the library. */
type Handle = unknown;

interface Library {
  /** Calls a function by its name in the C API without its prefix "XG"; its error is thrown. */
  readonly call: (name: FunctionName, ...args: readonly unknown[]) => void;
  readonly floats: (pointer: Handle, count: number) => Float32Array;
  readonly strings: (pointer: Handle, count: number) => readonly string[];
}

const signatures = {
  DMatrixCreateFromMat: "int XGDMatrixCreateFromMat(const float*, uint64_t, uint64_t, float, _Out_ void**)",
  DMatrixSetFloatInfo: "int XGDMatrixSetFloatInfo(void*, const char*, const float*, uint64_t)",
  DMatrixSetUIntInfo: "int XGDMatrixSetUIntInfo(void*, const char*, const uint32_t*, uint64_t)",
  DMatrixFree: "int XGDMatrixFree(void*)",
  BoosterCreate: "int XGBoosterCreate(void**, uint64_t, _Out_ void**)",
  BoosterSetParam: "int XGBoosterSetParam(void*, const char*, const char*)",
  BoosterUpdateOneIter: "int XGBoosterUpdateOneIter(void*, int, void*)",
  BoosterPredict: "int XGBoosterPredict(void*, void*, int, uint32_t, int, _Out_ uint64_t*, _Out_ void**)",
  BoosterFeatureScore:
    "int XGBoosterFeatureScore(void*, const char*, _Out_ uint64_t*, _Out_ void**, _Out_ uint64_t*, _Out_ void**, _Out_ void**)",
  BoosterFree: "int XGBoosterFree(void*)",
} as const;
type FunctionName = keyof typeof signatures;

/**
 * Loads the library. Throws when the file is no XGBoost library.
 *
 *     const model = await loadXgboost("/usr/lib/x86_64-linux-gnu/libxgboost.so.0");
 */
export async function loadXgboost(path: string, options: Partial<XgboostOptions> = {}): Promise<CostModel> {
  const library = await openLibrary(path);
  const all = { ...defaultXgboost, ...options };
  return { name: `xgboost ${all.objective}`, fit: (set) => train(library, set, all) };
}

async function openLibrary(path: string): Promise<Library> {
  const { default: koffi } = await import("koffi");
  const loaded = koffi.load(path);
  const functions = new Map(Object.entries(signatures).map(([name, signature]) => [name, loaded.func(signature)]));
  const lastError = loaded.func("const char* XGBGetLastError()");
  return {
    call: (name, ...args) => {
      if (functions.get(name)!(...args) !== 0) throw new Error(`xgboost ${name}: ${lastError()}`);
    },
    floats: (pointer, count) =>
      Float32Array.from(koffi.decode(pointer, koffi.array("float", count)) as ArrayLike<number>),
    strings: (pointer, count) => koffi.decode(pointer, koffi.array("const char*", count)) as string[],
  };
}

/** Frees native memory when the object that owns it is collected. */
const boosters = new FinalizationRegistry<() => void>((free) => {
  free();
});

function train(library: Library, set: TrainingSet, options: XgboostOptions): Predictor {
  const { columns } = set.features;
  if (set.features.rows === 0)
    return { predict: ({ rows }) => new Float64Array(rows), importance: new Float64Array(columns) };
  const matrix = createMatrix(library, set.features);
  const { rows } = set.features;
  library.call("DMatrixSetFloatInfo", matrix, "label", Float32Array.from(set.scores), rows);
  library.call("DMatrixSetFloatInfo", matrix, "base_margin", Float32Array.from(set.base), rows);
  if (set.weights && options.objective !== "rank:pairwise")
    library.call("DMatrixSetFloatInfo", matrix, "weight", Float32Array.from(set.weights), rows);
  // Ranking takes weights of groups, and there is one.
  if (options.objective === "rank:pairwise")
    library.call("DMatrixSetUIntInfo", matrix, "group", Uint32Array.of(rows), 1);
  const booster = createBooster(library, matrix, options);
  for (let tree = 0; tree < options.trees; tree++) library.call("BoosterUpdateOneIter", booster, tree, matrix);
  library.call("DMatrixFree", matrix);
  const predictor = {
    predict: (features: FeatureMatrix) => predict(library, booster, features),
    importance: importanceOf(library, booster, columns),
  };
  boosters.register(predictor, () => library.call("BoosterFree", booster));
  return predictor;
}

function createMatrix(library: Library, { data, rows, columns }: FeatureMatrix): Handle {
  const out: Handle[] = [null];
  library.call("DMatrixCreateFromMat", Float32Array.from(data), rows, columns, Number.NaN, out);
  return out[0];
}

function createBooster(library: Library, matrix: Handle, options: XgboostOptions): Handle {
  const out: Handle[] = [null];
  library.call("BoosterCreate", [matrix], 1, out);
  const parameters = {
    objective: options.objective,
    max_depth: options.maxDepth,
    eta: options.learningRate,
    tree_method: "hist",
    max_bin: 64,
    // Prediction of a model without trees. The base of a row is added to the prediction outside.
    base_score: 0,
    // One thread, so that sums are always added in the same order.
    nthread: 1,
    seed: 1,
    verbosity: 0,
  };
  for (const [name, value] of Object.entries(parameters)) library.call("BoosterSetParam", out[0], name, String(value));
  return out[0];
}

function predict(library: Library, booster: Handle, features: FeatureMatrix): Float64Array {
  if (features.rows === 0) return new Float64Array();
  const matrix = createMatrix(library, features);
  const [count, result]: [number[], Handle[]] = [[0], [null]];
  // No options, all trees, not training.
  library.call("BoosterPredict", booster, matrix, 0, 0, 0, count, result);
  const predictions = Float64Array.from(library.floats(result[0], features.rows));
  library.call("DMatrixFree", matrix);
  return predictions;
}

/** Returns the share of each column in the total gain. Columns that no tree splits on are not in the library's answer. */
function importanceOf(library: Library, booster: Handle, columns: number): Float64Array {
  const [count, names, dimensions, shape, scores]: Handle[][] = [[0], [null], [0], [null], [null]];
  const config = JSON.stringify({ importance_type: "total_gain" });
  library.call("BoosterFeatureScore", booster, config, count, names, dimensions, shape, scores);
  const result = new Float64Array(columns);
  const length = Number(count![0]);
  if (length === 0) return result;
  const gains = library.floats(scores![0], length);
  const total = gains.reduce((sum, gain) => sum + gain, 0);
  // Without given names they are f0, f1, …
  library.strings(names![0], length).forEach((name, k) => {
    if (total > 0) result[Number(name.slice(1))] = gains[k]! / total;
  });
  return result;
}
