// Names that npm takes for a new package, by the rules that its documentation gives: a pack of another name could not be published.

const longest = 214;

/** Names that a registry or an installation has another use for. */
const reserved = ["node_modules", "favicon.ico"];

/** Says why npm does not take a name; null: it does. */
export function nameProblem(name: unknown): string | null {
  if (typeof name !== "string") return "it is no text";
  if (name.length > longest) return `it has ${name.length} characters, and ${longest} are the most`;
  const [, scope, own] = /^(?:@([^/]*)\/)?(.*)$/s.exec(name)!;
  const parts = scope === undefined ? [own!] : [scope, own!];
  if (parts.includes("")) return "a part of it is empty";
  if (reserved.includes(name)) return "it is reserved";
  if (name !== name.toLowerCase()) return "it has capital letters";
  if (/^[.\-_]/.test(name) || own!.startsWith(".")) return `it begins with "${own![0]}"`;
  const odd = parts.join("").match(/[^a-z0-9._-]/u)?.[0];
  return odd === undefined ? null : `it has ${JSON.stringify(odd)} in it`;
}
