// `(a + b)` → `a + b`: an expression that stands alone needs no parentheses around it.

export function bare(text: string): string {
  if (!text.startsWith("(") || !text.endsWith(")")) return text;
  let depth = 0;
  for (let at = 0; at < text.length - 1; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")") depth--;
    if (depth === 0) return text;
  }
  return text.startsWith("({") ? text : text.slice(1, -1);
}
