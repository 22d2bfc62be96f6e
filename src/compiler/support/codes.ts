// Every diagnostic code with its one-line meaning: the source of docs/errors.

export const codes = {
  "expr.axis-outside": "an axis of one compute is used in another",
  "expr.bad-divisor": "floorDiv or mod by something that may be zero or negative",
  "expr.bad-extent": "a dimension or a reduce axis is not a positive integer",
  "expr.bad-name": "a name is not an identifier",
  "expr.bad-parameter": "a parameter is neither a number nor a dtype, or is overridden with a value of the other kind",
  "expr.bad-reduce-axis": "a reducer is given something that is not a reduce axis, or too many of them",
  "expr.bad-result": "the operator does not return a compute, or an object of computes under their own names",
  "expr.constant-range": "a plain number does not fit the type it takes",
  "expr.dtype-mismatch": "the operands of an operator have different types",
  "expr.duplicate-name": "two tensors, or two axes of one compute, have the same name",
  "expr.index-type": "a tensor is indexed with something that is not an integer",
  "expr.no-dtype": "only plain numbers where at least one typed expression is needed",
  "expr.not-an-expression": "something that is neither an expression nor a number",
  "expr.out-of-bounds": "an index can leave its tensor",
  "expr.outside-op": "a function of the language is called outside an operator or a compute",
  "expr.reduce-axis-outside": "a reduce axis is used outside its reducer",
  "expr.shape-mismatch": "the number of indices or axes is not the number of dimensions",
  "expr.too-large": "a tensor has more elements than an i32 index can address",
  "expr.unknown-dtype": "a type that does not exist",
  "expr.unknown-parameter": "an override names no parameter of the operator",
  "expr.unknown-tensor": "a tensor of another operator is read",
  "expr.unsupported-dtype": "an operator does not take values of this type",
  "expr.unused-tensor": "a tensor or a compute is never read and not a result",
  "op.not-an-op": "the default export of an operator file is not an operator",
  "op.no-default-export": "an operator file has no default export",
  "op.not-found": "an operator file cannot be read",
  "op.syntax": "an operator file, or something that it imports, cannot be bundled",
  "op.threw": "an operator file throws",
} as const;

export type DiagnosticCode = keyof typeof codes;
