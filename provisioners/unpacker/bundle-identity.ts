/** Content is kept for one Bundle: another of the same name and a different uid does not find it. */
export interface BundleIdentity {
  readonly name: string;
  readonly uid: string;
}
