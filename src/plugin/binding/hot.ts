// The end of an emitted module on a dev server: it takes its own updates, so that a better schedule of the same kernel costs no page its
// state.
//
// Whoever has imported the kernel keeps one function, which calls the newest kernel. Arrays of an older one's `buffers()` are arrays like
// any others to it, and layers of its `pack` go on with it. Another operator, or another shape, is another kernel: importers get a new
// function, as for any module that has changed.

export const hotText = `
const kernel = import.meta.hot ? hotKernel(import.meta.hot.data) : createKernel();
export default kernel;
if (import.meta.hot) {
  import.meta.hot.accept((update) => {
    if (update && update.default !== kernel) import.meta.hot.invalidate();
  });
}

// It is kept with what it calls: another kernel, later, has a function of its own.
function hotKernel(data) {
  const newest = createKernel();
  const last = data.calls;
  if (last?.newest.info.cacheKey === newest.info.cacheKey) {
    last.newest = newest;
    return last.kernel;
  }
  const calls = { newest, kernel: (...arrays) => calls.newest(...arrays) };
  const shown = (get) => ({ get, enumerable: true });
  Object.defineProperties(calls.kernel, {
    async: shown(() => (...arrays) => calls.newest.async(...arrays)),
    buffers: shown(() => () => calls.newest.buffers()),
    ready: shown(() => () => calls.newest.ready()),
    info: shown(() => calls.newest.info),
    ...(newest.pack && { pack: shown(() => (values) => calls.newest.pack(values)) }),
  });
  data.calls = calls;
  return calls.kernel;
}
`;
