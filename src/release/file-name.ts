/** What the name of a manifest file states about its place in a release. */
export interface ReleaseFileName {
  /** The digits as written: `5` and `05` are different levels. */
  readonly runlevel: string;
  readonly component: string;
  /** What follows the component, with the extension. */
  readonly rest: string;
}

const pattern = /^0000_(\d+)_([a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*?)_(.*)$/s;

/** Undefined for a name that states no level.
 *  @see docs/spec/cluster-version.md#parsing */
export function parseReleaseFileName(name: string): ReleaseFileName | undefined {
  const [, runlevel = '', component = '', rest = ''] = pattern.exec(name) ?? [];
  return component === '' ? undefined : { runlevel, component, rest };
}
