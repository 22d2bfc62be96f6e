// A text of WGSL as its tokens, those in brackets as a node of their own, and back. It knows what our generator prints: types with brackets are
// one token each.

export interface Group {
  readonly open: "(" | "[" | "{";
  readonly nodes: readonly Node[];
}

export type Node = string | Group;

export const isGroup = (node: Node): node is Group => typeof node !== "string";

const closing = { "(": ")", "[": "]", "{": "}" } as const;

/** White space and comments, types, names, numbers, signs. */
const token =
  /\s+|\/\/[^\n]*|(?:array|atomic|bitcast|var|vec[234])<(?:[^<>;]|<[^<>;]*>)*>|[A-Za-z_]\w*|0x[\da-f]+u?|(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?[fu]?|->|<<|>>|[-+*/%&|^!=<>]=|&&|\|\||\+\+|--|\S/gy;

const tokensOf = (text: string): readonly string[] => text.match(token) ?? [];

/** The token in its shortest form: `vec4<f32>` has a name of its own, and zeros around a point say nothing. */
const short = (text: string): string =>
  /</.test(text) && text.length > 2
    ? text
        .replaceAll(/\s+/g, "")
        .replace("<storage,read>", "<storage>")
        .replaceAll(/vec([234])<([fiu])32>/g, "vec$1$2")
    : text.replace(/^(\d+)\.0f$/, "$1f").replace(/^0(\.\d.*f)$/, "$1");

export function nodesOf(text: string): readonly Node[] {
  const open: { readonly sign: Group["open"] | ""; readonly nodes: Node[] }[] = [{ sign: "", nodes: [] }];
  for (const each of tokensOf(text)) {
    if (/^(?:\s|\/\/)/.test(each)) continue;
    if (each === "(" || each === "[" || each === "{") open.push({ sign: each, nodes: [] });
    else if (each === ")" || each === "]" || each === "}") {
      const { sign, nodes } = open.pop()!;
      open.at(-1)!.nodes.push({ open: sign as Group["open"], nodes });
    } else open.at(-1)!.nodes.push(short(each));
  }
  return open[0]!.nodes;
}

const flat = (nodes: readonly Node[]): readonly string[] =>
  nodes.flatMap((node) => (isGroup(node) ? [node.open, ...flat(node.nodes), closing[node.open]] : [node]));

/** The text, with spaces only where two tokens would be read as others. */
export function textOfNodes(nodes: readonly Node[]): string {
  let text = "";
  let last = "";
  for (const each of flat(nodes)) {
    text += last !== "" && tokensOf(last + each)[0] !== last ? ` ${each}` : each;
    last = each;
  }
  return text;
}
