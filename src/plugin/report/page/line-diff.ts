// Two texts side by side: lines that both have stand beside each other, and between them what only one has.

export interface LinePair {
  /** Line of the left text; null: nothing stands beside the other. */
  readonly left: string | null;
  readonly right: string | null;
  readonly isSame: boolean;
}

/** Beyond so many pairs of lines to compare, what lies between the common beginning and end counts as different. */
const mostCompared = 9_000_000;

export function lineDiff(leftText: string, rightText: string): readonly LinePair[] {
  const [left, right] = [leftText.split("\n"), rightText.split("\n")];
  const start = commonLength(left, right, (lines, at) => lines[at]);
  const [restLeft, restRight] = [left.slice(start), right.slice(start)];
  const end = commonLength(restLeft, restRight, (lines, at) => lines[lines.length - 1 - at]);
  const [midLeft, midRight] = [restLeft.slice(0, restLeft.length - end), restRight.slice(0, restRight.length - end)];
  return [
    ...left.slice(0, start).map(same),
    ...between(midLeft, midRight),
    ...left.slice(left.length - end, left.length).map(same),
  ];
}

type Lines = readonly string[];

const same = (line: string): LinePair => ({ left: line, right: line, isSame: true });

function commonLength(left: Lines, right: Lines, lineAt: (lines: Lines, at: number) => string | undefined): number {
  const most = Math.min(left.length, right.length);
  let at = 0;
  while (at < most && lineAt(left, at) === lineAt(right, at)) at += 1;
  return at;
}

function between(left: Lines, right: Lines): readonly LinePair[] {
  if (left.length * right.length > mostCompared) return besides(left, right);
  const pairs: LinePair[] = [];
  let [i, j] = [0, 0];
  for (const [nextLeft, nextRight] of commonLines(left, right)) {
    pairs.push(...besides(left.slice(i, nextLeft), right.slice(j, nextRight)), same(left[nextLeft]!));
    [i, j] = [nextLeft + 1, nextRight + 1];
  }
  return [...pairs, ...besides(left.slice(i), right.slice(j))];
}

const besides = (left: Lines, right: Lines): readonly LinePair[] =>
  Array.from({ length: Math.max(left.length, right.length) }, (_, at) => ({
    left: left[at] ?? null,
    right: right[at] ?? null,
    isSame: false,
  }));

/** Places of a longest common subsequence. */
function commonLines(left: Lines, right: Lines): readonly (readonly [left: number, right: number])[] {
  const width = right.length + 1;
  /** Length of the longest common subsequence of what is left from line i and from line j on. */
  const longest = new Uint16Array((left.length + 1) * width);
  const lengthAt = (i: number, j: number): number => longest[i * width + j]!;
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      longest[i * width + j] =
        left[i] === right[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
  const places: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < left.length && j < right.length; ) {
    if (left[i] === right[j]) places.push([i++, j++]);
    else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return places;
}
