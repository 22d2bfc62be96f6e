// Joints between neighbouring axes at which these may be merged: wherever an operand is read at one of the two, it is read at the other
// right behind, the second as it is and from end to end, the first as it is or a constant number of steps away. Joints depend on each other,
// through all stages, so what is no joint is taken out until the others hold.

import {
  type Axis,
  type ComputeDef,
  foldScalar,
  indexForm,
  operandsOfScalar,
  type ReadExpr,
  readsIn,
  type ScalarExpr,
  type Stage,
} from "../../../../compiler/index.ts";

/** "A 1" is between dimensions 1 and 2 of tensor A, "C sum 0" between the first two axes that stage C sums over. */
export type Joints = ReadonlySet<string>;

export function jointsOf(op: ComputeDef): Joints {
  const shapes = new Map<string, readonly number[]>([
    ...op.inputs.map(({ name, shape }) => [name, shape] as const),
    ...op.stages.map(({ name, axes }) => [name, axes.map(({ extent }) => extent)] as const),
  ]);
  const joints = new Set([
    ...[...shapes].flatMap(([name, { length }]) => between(name, length)),
    ...op.stages.flatMap(({ name, reduce }) => between(`${name} sum`, reduce?.axes.length ?? 0)),
  ]);
  for (let left = -1; left !== joints.size; ) {
    left = joints.size;
    for (const stage of op.stages) for (const key of brokenIn(stage, shapes, joints)) joints.delete(key);
  }
  return joints;
}

const between = (name: string, count: number): readonly string[] =>
  Array.from({ length: Math.max(0, count - 1) }, (_, at) => `${name} ${at}`);

/** An axis of a stage: the joints on its left and right, and its neighbours there. */
interface Place {
  readonly extent: number;
  readonly left: string | null;
  readonly right: string | null;
  readonly next: string | null;
}

function placesIn({ name, axes, reduce }: Stage): ReadonlyMap<string, Place> {
  const of = (key: string, all: readonly Axis[]) =>
    all.map((axis, at): readonly [string, Place] => [
      axis.name,
      {
        extent: axis.extent,
        left: at > 0 ? `${key} ${at - 1}` : null,
        right: at + 1 < all.length ? `${key} ${at}` : null,
        next: all[at + 1]?.name ?? null,
      },
    ]);
  return new Map([...of(name, axes), ...of(`${name} sum`, reduce?.axes ?? [])]);
}

/** Returns joints that do not hold in a stage. */
function brokenIn(stage: Stage, shapes: ReadonlyMap<string, readonly number[]>, joints: Joints): readonly string[] {
  const places = placesIn(stage);
  const alone = axesAlone(stage.body).flatMap((name) => sidesOf(places.get(name)!));
  const reads = readsIn(stage.body);
  return [...alone, ...reads.flatMap((read) => brokenBy(read, shapes.get(read.tensor)!, places, joints))];
}

/** An axis that an index is, or from which it is a constant number of steps away. */
export interface MovedAxis {
  readonly name: string;
  readonly steps: number;
}

export function movedAxis(index: ScalarExpr | undefined): MovedAxis | null {
  if (!index) return null;
  const { terms, constant } = indexForm(index);
  const [term, other] = terms;
  const isAxis = term && !other && term.coefficient === 1 && term.atom.kind === "axis";
  return isAxis ? { name: term.atom.name, steps: constant } : null;
}

/** Names of the axes that stand elsewhere than as an index of their own, or near one. */
const axesAlone = (body: ScalarExpr): readonly string[] => [
  ...new Set(
    foldScalar<readonly string[]>(body, (node, of) => {
      if (node.kind === "axis") return [node.name];
      const operands = operandsOfScalar(node).filter((operand) => node.kind !== "read" || !movedAxis(operand));
      return [...new Set(operands.flatMap(of))];
    }),
  ),
];

function brokenBy(
  { tensor, indices }: ReadExpr,
  shape: readonly number[],
  places: ReadonlyMap<string, Place>,
  joints: Joints,
): readonly string[] {
  const axisAt = (dim: number): string | null => {
    const axis = movedAxis(indices[dim]);
    return axis?.steps === 0 && places.get(axis.name)?.extent === shape[dim] ? axis.name : null;
  };
  // Neighbouring dimensions hold together where neighbouring axes that hold together walk them.
  const isHeld = (dim: number): boolean => {
    const place = places.get(movedAxis(indices[dim])?.name ?? "");
    return place?.next != null && place.next === axisAt(dim + 1) && joints.has(place.right!);
  };
  return indices.flatMap((index, dim) => {
    const key = `${tensor} ${dim}`;
    const isJoint = joints.has(key) && dim + 1 < indices.length;
    const held = isHeld(dim);
    const own = isJoint && !held ? [key] : [];
    const axis = movedAxis(index);
    if (!axis) return own;
    const { left, right } = places.get(axis.name)!;
    const isRight = held && isJoint;
    const isLeft = dim > 0 && isHeld(dim - 1) && joints.has(`${tensor} ${dim - 1}`);
    return [...own, ...(right && !isRight ? [right] : []), ...(left && !isLeft ? [left] : [])];
  });
}

const sidesOf = ({ left, right }: Place): readonly string[] => [left, right].filter((it) => it !== null);
