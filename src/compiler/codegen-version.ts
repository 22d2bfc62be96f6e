// The version of everything that turns an operator and its decisions into a kernel: space rules, primitives, passes,
// code generators. Raise it when one of them changes what a locked decision generates.

export const codegenVersion = "19";
