// A node with some of its parts changed: updateFor(loop, { body }). Wherever a node is made, here and in build.ts, its
// properties come in the order of loop-ir.ts, so all nodes of a kind have one hidden class in V8, and reading `kind` or a
// part is one comparison. A spread would give its copies a class for each place that it stands in, and the whole compiler
// would search for every property that it reads: candidates took half as long again.

import type {
  Assign,
  Binary,
  Bitcast,
  Block,
  Broadcast,
  Cast,
  Define,
  Expr,
  For,
  If,
  Interleave,
  IntrinsicCall,
  LaneFold,
  LanePick,
  Lanes,
  Load,
  Prefetch,
  Ramp,
  Select,
  Shuffle,
  Store,
  Unary,
} from "./loop-ir.ts";

type Changes<Node> = Partial<Omit<Node, "kind">>;

// ── expressions ─────────────────────────────────────────────────────────────────────────────────────────────────────

export const updateLoad = (node: Load, changes: Changes<Load>): Load => {
  const { dtype = node.dtype, buffer = node.buffer, indices = node.indices, active = node.active } = changes;
  return { kind: "load", dtype, buffer, indices, active };
};

/** Nodes with one operand of that name. */
type OnOperand = Unary | Cast | Bitcast | Shuffle | LaneFold;

export function updateOperand(node: OnOperand, operand: Expr): OnOperand {
  switch (node.kind) {
    case "unary":
      return { kind: "unary", dtype: node.dtype, op: node.op, operand };
    case "fold":
      return { kind: "fold", dtype: node.dtype, op: node.op, operand };
    case "shuffle":
      return { kind: "shuffle", dtype: node.dtype, operand, mask: node.mask };
    case "cast":
    case "bitcast":
      return { kind: node.kind, dtype: node.dtype, operand };
  }
}

export const updateBinary = (node: Binary, changes: Changes<Binary>): Binary => {
  const { dtype = node.dtype, op = node.op, left = node.left, right = node.right } = changes;
  return { kind: "binary", dtype, op, left, right };
};

export const updateSelect = (node: Select, changes: Changes<Select>): Select => {
  const { dtype = node.dtype, condition = node.condition, then: yes = node.then, else: no = node.else } = changes;
  return { kind: "select", dtype, condition, then: yes, else: no };
};

export const updateRamp = ({ stride, lanes }: Ramp, base: Ramp["base"]): Ramp => ({
  kind: "ramp",
  dtype: "i32",
  base,
  stride,
  lanes,
});

export const updateBroadcast = ({ dtype, lanes }: Broadcast, value: Broadcast["value"]): Broadcast => ({
  kind: "broadcast",
  dtype,
  value,
  lanes,
});

export const updateLanes = ({ dtype }: Lanes, elements: Lanes["elements"]): Lanes => ({
  kind: "lanes",
  dtype,
  elements,
});

export const updateInterleave = ({ dtype }: Interleave, parts: Interleave["parts"]): Interleave => ({
  kind: "interleave",
  dtype,
  parts,
});

export const updatePick = ({ dtype, picks }: LanePick, parts: LanePick["parts"]): LanePick => ({
  kind: "pick",
  dtype,
  parts,
  picks,
});

export const updateIntrinsic = (node: IntrinsicCall, operands: IntrinsicCall["operands"]): IntrinsicCall => {
  const { dtype, lanes, name, meaning, text } = node;
  return { kind: "intrinsic", dtype, lanes, name, operands, meaning, text };
};

// ── statements ──────────────────────────────────────────────────────────────────────────────────────────────────────

export const updateFor = (node: For, changes: Changes<For>): For => {
  const { name = node.name, extent = node.extent, mark = node.mark, tail = node.tail } = changes;
  const { annotations = node.annotations, body = node.body } = changes;
  return { kind: "for", name, extent, mark, tail, annotations, body };
};

export const updateIf = (node: If, changes: Changes<If>): If => {
  const { condition = node.condition, then: yes = node.then, else: no = node.else } = changes;
  return { kind: "if", condition, then: yes, else: no };
};

export const updateStore = (node: Store, changes: Changes<Store>): Store => {
  const { buffer = node.buffer, indices = node.indices, value = node.value, active = node.active } = changes;
  return { kind: "store", buffer, indices, value, active };
};

export const updatePrefetch = ({ buffer, writes }: Prefetch, indices: Prefetch["indices"]): Prefetch => ({
  kind: "prefetch",
  buffer,
  indices,
  writes,
});

export const updateAssign = ({ name }: Assign, value: Assign["value"]): Assign => ({ kind: "assign", name, value });

export const updateDefine = ({ name, dtype, lanes, memory }: Define, value: Define["value"]): Define => ({
  kind: "define",
  name,
  dtype,
  lanes,
  memory,
  value,
});

export const updateBlock = (node: Block, changes: Changes<Block>): Block => {
  const { name = node.name, axes = node.axes, bindings = node.bindings, buffer = node.buffer } = changes;
  const { indices = node.indices, init = node.init, value = node.value } = changes;
  return { kind: "block", name, axes, bindings, buffer, indices, init, value };
};
