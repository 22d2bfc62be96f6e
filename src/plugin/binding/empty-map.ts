// The source map of a kernel's module.

/** Source map of version 3. */
export interface SourceMap {
  readonly version: 3;
  readonly names: string[];
  readonly sources: string[];
  readonly sourcesContent: string[];
  readonly mappings: string;
}

/**
 * A source map with nothing in it: the text of a module is nobody's source, and its imports name paths of the machine that builds.
 *
 * @param source name for hosts that take a map without mappings for none: they get one mapping, to an empty text of that name
 */
export const emptyMap = (source?: string): SourceMap => ({
  version: 3,
  names: [],
  sources: source === undefined ? [] : [source],
  sourcesContent: [""],
  mappings: source === undefined ? "" : "AAAA",
});
