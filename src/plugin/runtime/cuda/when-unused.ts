// Memory of a GPU goes when the object of the program goes that holds it. What frees it must not hold that object.

/** Calls what an object was registered with once nothing holds the object any more. Programs without such kernels leave it out. */
export const whenUnused: FinalizationRegistry<() => void> = /* @__PURE__ */ new FinalizationRegistry((free) => free());
