// Results of the tests of bundlers → docs/hosts.md: the features that work in each host. A row for each feature that is
// tested in all hosts, then those that are tested in one.

export const names = ["vite", "rollup", "rolldown", "esbuild", "webpack", "rspack", "rsbuild", "farm", "bun"];

/** Vitest quotes names that it puts into a title for `$name`: "'rspack'". */
const unquoted = (title) => title.replace(/^'(.*)'$/, "$1");

/** Tests whose first title begins with a host: "rspack, mode off" > "runs the reference loops". */
export function hostTests({ testResults }) {
  return testResults.flatMap(({ name: file, assertionResults }) =>
    /[\\/]test[\\/]e2e[\\/]/.test(file)
      ? assertionResults.flatMap(({ ancestorTitles, title, status }) => {
          const [host, ...rest] = unquoted(ancestorTitles[0] ?? "").split(/[, ]+/);
          const feature = [rest.join(" "), ...ancestorTitles.slice(1), title.replace(/ \(.*\)$/, "")];
          return names.includes(host) ? [{ host, feature: feature.filter(Boolean).join(": "), status }] : [];
        })
      : [],
  );
}

const row = (cells) => `| ${cells.join(" | ")} |`;

/** @param tests all passed */
export function hostTable(tests) {
  const hostsOf = new Map();
  for (const { host, feature } of tests) hostsOf.set(feature, (hostsOf.get(feature) ?? new Set()).add(host));
  const shared = [...hostsOf].filter(([, hosts]) => hosts.size > 1);
  const single = names.flatMap((name) =>
    [...hostsOf].filter(([, hosts]) => hosts.size === 1 && hosts.has(name)).map(([feature]) => row([name, feature])),
  );
  const table = shared.map(([feature, hosts]) =>
    row([feature, ...names.map((name) => (hosts.has(name) ? "yes" : "–"))]),
  );
  return `# What works in which bundler

Written by the tests (\`UPDATE_HOSTS=1 npm test -- test/e2e\`), and held against them by each \`npm test\`: "yes" is a test that passes, "–" none. The
same apps are built by each bundler, moved to another folder and run there.

These are tests of bundlers, so in most of them the kernel is a fake, made by hand (\`test/support/fake-kernel.ts\`). Kernels that are tuned, built
and called by a program are tested in \`test/e2e/tuning.test.ts\`, and in projects of starters by \`npm run test:starters\`.

${row(["", ...names])}
${row(["---", ...names.map(() => ":-:")])}
${table.sort().join("\n")}

## Of one bundler alone

| | |
|---|---|
${single.join("\n")}
`;
}
