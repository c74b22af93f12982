/** What became of the version that the template asks for. */
export type Outcome =
  /** Its objects are in place. */
  | { readonly kind: 'Installed' }
  /** It cannot be installed now: the active version is retained. `error` is thrown afterwards. */
  | { readonly kind: 'Blocked'; readonly error?: Error }
  /** Its hooks run, or have failed after its objects were written: what there is stays. `error` is thrown afterwards. */
  | { readonly kind: 'Held'; readonly error?: Error }
  /** It is installed, and drift from it is left for a while, because another writer repeats it. */
  | { readonly kind: 'Contested' };

/** @param error to be thrown once the active version is retained */
export function blocked(error?: Error): Outcome {
  return error === undefined ? { kind: 'Blocked' } : { kind: 'Blocked', error };
}
