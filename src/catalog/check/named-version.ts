import { parseVersion, type Version } from '../../constraints/index.ts';

/** Longer names are not looked at: the search for a version takes time by the square of their length. */
const maxNameCharacters = 1_024;

/** The version that a name ends with, as names of bundles do; undefined where it ends with none. */
export function namedVersion(name: string): Version | undefined {
  if (name.length > maxNameCharacters) return undefined;
  try {
    return parseVersion(/\.v?(\d+\.\d+\.\d+.*)$/.exec(name)?.[1] ?? '');
  } catch {
    return undefined;
  }
}
