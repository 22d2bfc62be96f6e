// Observations of the tests in each engine, as they are kept in test/browser/engines.json → docs/engines.md.

import { type EngineName, engineNames } from "./engine.ts";
import { type Feature, features, type Seen } from "./saw.ts";
import { browsers, type Part, parts, type Versions } from "./versions.ts";

export interface EnginesRecord {
  /** "2026-11-24" */
  readonly date: string;
  readonly engines: Readonly<
    Record<EngineName, { readonly version: string; readonly seen: Readonly<Record<Feature, string>> }>
  >;
  readonly compat: { readonly package: string; readonly version: string; readonly versions: Versions };
}

const featureNames = Object.keys(features) as readonly Feature[];

/**
 * Each engine's version, and one answer for each feature.
 *
 * @throws Error if a feature was not seen in an engine, or seen in two ways
 */
export function enginesOf(seen: readonly Seen[]): EnginesRecord["engines"] {
  const only = (engine: EngineName, what: string, values: readonly string[]): string => {
    const [value, ...others] = new Set(values);
    if (value === undefined || others.length > 0)
      throw new Error(`${engine}, ${what}: ${values.length === 0 ? "no test saw it" : [value, ...others].join(" / ")}`);
    return value;
  };
  const entries = engineNames.map((engine) => {
    const here = seen.filter((it) => it.engine === engine);
    const answer = (feature: Feature): string =>
      only(
        engine,
        feature,
        here.filter((it) => it.feature === feature).map(({ answer }) => answer),
      );
    const version = only(
      engine,
      "version",
      here.map(({ version }) => version),
    );
    return [engine, { version, seen: Object.fromEntries(featureNames.map((name) => [name, answer(name)])) }];
  });
  return Object.fromEntries(entries);
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map((_, at) => (at === 0 ? "---" : ":-:"))), ...rows.map(row)].join("\n");

const seenTable = ({ engines }: EnginesRecord): string =>
  table(
    ["", ...engineNames.map((name) => `${name} ${engines[name].version}`)],
    featureNames.map((feature) => [features[feature], ...engineNames.map((name) => engines[name].seen[feature])]),
  );

const versionsTable = ({ compat: { versions } }: EnginesRecord): string =>
  table(
    ["", ...Object.values(browsers)],
    (Object.keys(parts) as readonly Part[]).map((part) => [
      part,
      ...Object.values(versions[part]).map((it) => it ?? "–"),
    ]),
  );

export const enginesPage = (record: EnginesRecord): string => `# What works in which browser

The tests run pages in three engines: Chromium, Firefox, and WebKitGTK, which has the JavaScript and WASM engine of Safari.
\`npm run test:engines\` runs them and writes this page. The last run was on ${record.date}.

${seenTable(record)}

"yes" is a test that passed in that engine. The tests of bundlers' output run in all three, too: workers from a file, from another origin and
from memory. So do the pages of the [examples](examples.md), of this site, and of the configurations in [bundlers](bundlers.md). Chromium
alone has what only its driver gives: a report on paper and in the system's colours, and a clipboard and downloads that a test reads.

Where the relaxed-SIMD twin does not run, the twin of plain SIMD answers, more slowly; \`info.twin\` names it and \`info.twinReason\`
says why.

## From which version on

${versionsTable(record)}

From \`${record.compat.package}\` ${record.compat.version}; "–" is a browser that has it in no released version or only behind a flag. WASM SIMD is what a
page needs at least: without it a kernel throws when it is loaded. All else is optional: a kernel with threads runs on one thread where memory cannot be shared ([threads](threads.md)).

## Classes of engines

The modules of a kernel compute the same in every engine. How fast they are depends on the processor that the engine makes code for: V8 has 15
vector registers to give out on x86-64 and 28 on 64-bit ARM. A schedule for \`wasm\` keeps within 15, so on a phone or an Apple laptop half of the
registers are idle. Option [\`engines\`](plugin.md#options) adds schedules for classes:

\`\`\`ts
kernel({ engines: ["arm"] }); // what is tuned on x86, and a schedule for ARM
\`\`\`

A kernel without the option has one schedule in two forms, plain and with [relaxed SIMD](glossary.md#relaxed-simd). It is searched in the plain
form, where a product takes a register and an instruction of its own, and [chosen by both](measurement.md#races). Engines with relaxed SIMD need
neither, so other register tiles can be faster there: the classes \`"x86-relaxed"\` and \`"arm-relaxed"\` are tuned, measured and shipped in that form alone.

| | \`"x86"\` | \`"arm"\` | \`"x86-relaxed"\` | \`"arm-relaxed"\` |
|---|---|---|---|---|
| target, and name in the lock | \`?tune=wasm-x86\` | \`?tune=wasm-arm\` | \`?tune=wasm-x86-relaxed\` | \`?tune=wasm-arm-relaxed\` |
| vector registers | 15 | 28 | 15 | 28 |
| a product and a sum | two instructions | two instructions | one | one |
| modules | both forms | both forms | the relaxed form | the relaxed form |
| measured | on x64 | on 64-bit ARM | on x64 | on 64-bit ARM |
| else | lock, packs, remote store, or the prediction | the same | the same | the same |

Name the classes that matter to you and that your builds' own measurements do not cover. Each adds its modules to the page
([what that takes](bytes.md)). An engine takes the schedule of its own class, else that of its processors, else the one for all. Engines of no
class, or that do not answer, have the schedule for all, and so have WASM [twins](glossary.md#twin) of native kernels. Where numerics are
[\`strict\`](glossary.md#numerics) nothing is fused, in no class.

A page asks its engine when it loads the first of such kernels. A module of 39 bytes divides 0 by 0: WASM leaves the sign of
the NaN to the machine, x86 sets it and ARM does not. \`WebAssembly.validate\` says whether it takes an instruction of relaxed SIMD. Node, Deno
and workers ask in the same way. It is no question of the browser's name, so
an x64 browser that Rosetta runs on ARM is of class \`x86\`, as its code is. RISC-V, LoongArch and POWER answer as ARM does, and have 32 registers
as well. \`info.target\` says which schedule answers, \`info.gflops\` is null where it was not measured.

The prior's numbers for ARM are published ones of Cortex-X1 and Apple's M1. Nobody has measured a kernel of \`wasm-arm\` on a processor: it is
tuned, checked and run in an emulator by the tests.

## Differences between engines

- **WebKitGTK shares no memory by default.** It isolates a page with the two headers and has no \`SharedArrayBuffer\` there, unlike Safari. Kernels then
  run on one thread. The tests of threads start it with \`JSC_useSharedArrayBuffer=1\`, which gives its pages what Safari gives them.
- **A language that is none.** Without a locale, as in containers, WebKitGTK tells pages that their language is "C", for which \`Intl\` throws. The
  report's page takes English then.
- **Safari itself is not tested.** It runs on Apple's systems alone. WebKitGTK shares its engine, not its limits of memory.

## Running the tests

    apt-get install --no-install-recommends chromium firefox-esr webkit2gtk-driver xvfb
    npx vitest run test/browser

An engine that is not installed is skipped, with the reason in the name of its tests. Chromium is driven by Playwright, Firefox by Puppeteer over
WebDriver BiDi, WebKitGTK by its own WebDriver on a virtual display; \`test/support/engine\` has one interface for the three.
\`CHROMIUM\` and \`FIREFOX\` name executables that are elsewhere.
`;
