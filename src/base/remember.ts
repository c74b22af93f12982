import { TerminalError } from './errors.ts';

/** What `compute` makes of an object, computed once for each object: for values that never change, such as objects of a cache. */
export function remember<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const found = known.get(key) ?? { value: compute(key) };
    known.set(key, found);
    return found.value;
  };
}

/** What `make` returns, made when it is first needed. */
export function lazily<V>(make: () => V): () => V {
  let made: { readonly value: V } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The same as `remember` for checked reading: undefined where an object cannot be read. */
export function rememberReading<K extends object, V>(read: (key: K) => V): (key: K) => V | undefined {
  return remember((key) => {
    try {
      return read(key);
    } catch (thrown) {
      if (thrown instanceof TerminalError) return undefined;
      throw thrown;
    }
  });
}
