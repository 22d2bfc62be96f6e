// docs/bundlers.md → one page for each host: a section of its own, `## Vite` or a folded `<b>Vite</b>`, with the links that still lead
// where they led.

export interface HostPage {
  /** Its address: "vite", "no-bundler". */
  readonly name: string;
  readonly title: string;
  readonly markdown: string;
}

/** Sections of the page that are about several hosts. */
const general = /^(Bundlers|Frameworks|In all|Caches|Watching|What |More)/;

/** "Turbopack (Next.js)" → "turbopack-next-js". */
const nameOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

/** Links are relative to docs/; a page of a host lies one folder deeper. */
const oneDeeper = (markdown: string): string =>
  markdown
    .replaceAll(/\]\((?![a-z]+:|#|\/|\.\.\/)([^)\s]+)\)/g, "](../$1)")
    .replaceAll(/\]\(#([^)\s]+)\)/g, "](../bundlers.md#$1)");

/** Text folded under a title of its own. */
const folded = /^<details[^>]*>\n<summary><b>(.+?)<\/b><\/summary>\n([\s\S]*?)^<\/details>/gm;

interface Section {
  readonly title: string;
  readonly text: string;
}

/** A section is a host's; one about all of them, and what stands before the first, may have folded ones of hosts. */
function sectionsIn(bundlers: string): readonly Section[] {
  return bundlers.split(/^## /m).flatMap((part, at) => {
    const end = part.indexOf("\n");
    const title = part.slice(0, end).trim();
    if (at > 0 && !general.test(title)) return [{ title, text: part.slice(end + 1) }];
    return [...part.matchAll(folded)].map(([, name, text]) => ({ title: name!, text: text! }));
  });
}

export function hostPages(bundlers: string): readonly HostPage[] {
  // Without the fences: a line of a program may begin as a heading does.
  const fences: string[] = [];
  const masked = bundlers.replaceAll(/^```[\s\S]*?^```/gm, (fence) => `⟦${fences.push(fence) - 1}⟧`);
  const unmasked = (text: string): string => text.replaceAll(/⟦(\d+)⟧/g, (_, at) => fences[Number(at)]!);
  return sectionsIn(masked).map(({ title, text }) => {
    const plain = title.replaceAll("`", "");
    const markdown = unmasked(oneDeeper(text.trim()));
    return { name: nameOf(plain), title: plain, markdown: `# ${plain}\n\n${markdown}\n\n${back}\n` };
  });
}

const back = "What holds for every host, and the configurations of the others, is on [one page](../bundlers.md).";
