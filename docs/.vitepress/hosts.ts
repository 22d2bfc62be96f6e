// docs/bundlers.md → one page for each host. What the page says of a host stands in up to two places: folded under `<b>Bun</b>`, and
// below `### Bun` in a section about several hosts. Links still lead where they led.

import { slugOf } from "./slug.ts";

export interface HostPage {
  /** Its address: "vite", "node". */
  readonly name: string;
  readonly title: string;
  readonly markdown: string;
}

/** Titles of sections that are about several hosts, or about none. */
const general =
  /^(Bundlers|Frameworks|In all|Caches|Watching|What |More|Package managers|Not supported|No bundler|Without a bundler)/;

/** "Turbopack (Next.js)" → "turbopack-next-js". */
const nameOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

/** Text folded under a title of its own. */
const folded = /^<details[^>]*>\n<summary><b>(.+?)<\/b><\/summary>\n([\s\S]*?)^<\/details>/gm;

interface Part {
  /** Name of the host, without backquotes. */
  readonly title: string;
  /** Title of the section that it stands in, where that has a heading for each of its hosts. */
  readonly section: string | null;
  readonly text: string;
}

/** Splits before each heading of a level into title and text. What stands before the first heading has the title "". */
const sections = (text: string, heading: RegExp): readonly (readonly [string, string])[] =>
  text.split(heading).map((part, at) => {
    const end = at === 0 ? 0 : part.indexOf("\n");
    return [part.slice(0, end).trim(), part.slice(end)];
  });

function partsIn(bundlers: string): readonly Part[] {
  return sections(bundlers, /^## /m).flatMap(([section, text]) => {
    if (section !== "" && !general.test(section)) return [{ title: section, section: null, text }];
    const inIt = [...text.matchAll(folded)].map(([, title, own]) => ({ title: title!, section: null, text: own! }));
    const below = sections(text, /^### /m).slice(1);
    return [...inIt, ...below.map(([title, own]) => ({ title, section, text: own }))];
  });
}

/** Returns the address, for a page of a host, of a heading of docs/bundlers.md. */
type TargetOf = (anchor: string) => string;

/** Links are relative to docs/; a page of a host lies one folder deeper. */
const moved = (markdown: string, targetOf: TargetOf): string =>
  markdown
    .replaceAll(/\]\((?![a-z]+:|#|\/|\.\.\/)([^)\s]+)\)/g, "](../$1)")
    .replaceAll(/\]\(#([^)\s]+)\)/g, (_, anchor) => `](${targetOf(anchor)})`);

/** The parts of one host, each with the title of its section unless it comes first. */
const textOf = (parts: readonly Part[]): string =>
  parts
    .map(({ section, text }, at) => (at > 0 && section !== null ? `## ${section}\n\n${text.trim()}` : text.trim()))
    .join("\n\n");

export function hostPages(bundlers: string): readonly HostPage[] {
  // Without the fences: a line of a program may begin as a heading does.
  const fences: string[] = [];
  const masked = bundlers.replaceAll(/^```[\s\S]*?^```/gm, (fence) => `⟦${fences.push(fence) - 1}⟧`);
  const unmasked = (text: string): string => text.replaceAll(/⟦(\d+)⟧/g, (_, at) => fences[Number(at)]!);
  const parts = partsIn(masked).map((part) => ({ ...part, title: part.title.replaceAll("`", "") }));
  const titles = [...new Set(parts.map(({ title }) => title))];
  return titles.map((title) => {
    const own = parts.filter((part) => part.title === title);
    const targetOf: TargetOf = (anchor) => {
      const there = parts.find((part) => part.section !== null && slugOf(part.title) === anchor);
      if (!there) return `../bundlers.md#${anchor}`;
      if (there.title !== title) return `./${nameOf(there.title)}.md`;
      return `#${slugOf(own[0] === there ? title : there.section!)}`;
    };
    const markdown = unmasked(moved(textOf(own), targetOf));
    return { name: nameOf(title), title, markdown: `# ${title}\n\n${markdown}\n\n${back}\n` };
  });
}

const back = "What holds for every host, and the configurations of the others, is on [one page](../bundlers.md).";
