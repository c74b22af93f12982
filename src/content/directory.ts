/** One thing in a directory of a bundle. */
export type DirectoryEntry =
  | { readonly kind: 'directory'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly content: Buffer };
