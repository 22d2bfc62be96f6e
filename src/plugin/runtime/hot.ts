// The kernel of a module on a dev server, which takes its own updates: a better schedule of the same kernel costs no page its state.
//
// An importer keeps one function, which calls the newest kernel. Arrays of an older kernel's `buffers()` are arrays like any others to
// the newest, and layers of its `pack` go on with the older one. Another operator, or another shape, is another kernel: importers get a
// new function, as for any module that has changed.

import type { AnyKernel } from "../../compiler/index.ts";

interface Current {
  newest: AnyKernel;
  readonly kernel: AnyKernel;
}

/**
 * Returns the function that importers keep.
 *
 * @param data what the dev server keeps for the module, from version to version; undefined in Vitest's tests of pages, which replace nothing
 */
export function hotKernel(newest: AnyKernel, data: { current?: Current } | undefined): AnyKernel {
  if (!data) return newest;
  const last = data.current;
  if (last?.newest.info.cacheKey === newest.info.cacheKey) {
    last.newest = newest;
    return last.kernel;
  }
  const call = (...arrays: never[]): unknown => current.newest(...arrays);
  // Importers keep this function, so it calls the newest version of the kernel. Another operator or shape gets another
  // function.
  const current: Current = { newest, kernel: call as unknown as AnyKernel };
  const shown = (get: () => unknown) => ({ get, enumerable: true });
  const pack = (values: never): unknown => (current.newest as { pack?(values: never): unknown }).pack!(values);
  const on = (device: never): unknown => (current.newest as { on?(device: never): unknown }).on!(device);
  Object.defineProperties(call, {
    async: shown(
      () =>
        (...arrays: never[]) =>
          current.newest.async(...arrays),
    ),
    buffers: shown(() => () => current.newest.buffers()),
    ready: shown(() => () => current.newest.ready()),
    info: shown(() => current.newest.info),
    ...("on" in newest && { on: shown(() => on) }),
    ...("device" in newest && { device: shown(() => (current.newest as { device?: unknown }).device) }),
    ...("pack" in newest && { pack: shown(() => pack) }),
  });
  data.current = current;
  return current.kernel;
}
