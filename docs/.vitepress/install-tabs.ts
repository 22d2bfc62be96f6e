// Indented commands of npm that install something → tabs for npm, pnpm, Yarn and Bun. The markdown has npm's alone, as GitHub knows no
// tabs.

type Rewrite = readonly [RegExp, string];

/** Commands of npm as other package managers spell them; the first that fits is taken. */
const managers: Readonly<Record<string, readonly Rewrite[]>> = {
  npm: [],
  pnpm: [
    [/^npm create (.+?) -- /, "pnpm create $1 "],
    [/^npm install /, "pnpm add "],
    [/^npx /, "pnpm exec "],
  ],
  yarn: [
    // Yarn 1 takes no version here.
    [/^npm create ([^@\s]+)(?:@\S+)? (.+?) -- /, "yarn create $1 $2 "],
    [/^npm install --save-dev /, "yarn add --dev "],
    [/^npm install /, "yarn add "],
    [/^npx /, "yarn run "],
  ],
  bun: [
    [/^npm create (.+?) -- /, "bun create $1 "],
    [/^npm install --save-dev /, "bun add --dev "],
    [/^npm install /, "bun add "],
    [/^npx /, "bunx "],
  ],
};

/** A line that every manager above has a spelling of. */
const isKnown = (line: string): boolean =>
  /^(npm create \S+ .+? -- |npm install [^-]|npm install --save-dev [^-]|npx |cd )/.test(line);

function commandFor(rewrites: readonly Rewrite[], line: string): string {
  const rewrite = rewrites.find(([pattern]) => pattern.test(line));
  return rewrite ? line.replace(...rewrite) : line;
}

function tabsOf(block: string): string | null {
  const lines = block.split("\n").map((line) => line.slice(4));
  if (!lines.some((line) => line.startsWith("npm install")) || !lines.every(isKnown)) return null;
  const tabs = Object.entries(managers).map(
    ([name, rewrites]) => `\`\`\`sh [${name}]\n${lines.map((line) => commandFor(rewrites, line)).join("\n")}\n\`\`\`\n`,
  );
  return `::: code-group\n${tabs.join("")}:::`;
}

/** Returns a page's markdown with tabs in place of each indented block in which npm installs something. */
export const withInstallTabs = (markdown: string): string =>
  markdown.replaceAll(/(?<=^\n)(?: {4}\S.*(?:\n(?= {4}\S)|$))+/gm, (block) => tabsOf(block) ?? block);
