// A function of an object that is asked again and again, and never changes → the same, answered from memory. For as long
// as the object lives; so only for what is told by the object alone.

/**
 *     const varsOf = remembered((block: Block) => …);
 */
export function remembered<Key extends object, Value extends object>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found) return found;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}
