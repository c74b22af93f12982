import { isInRange, type Version, type VersionRange } from '../../constraints/index.ts';

const lowest: Version = { major: 0n, minor: 0n, patch: 0n, prerelease: [0n], build: [] };

/** The next version there is: of a release the first pre-release of the next patch, of a pre-release one with one more part. */
function successor(version: Version): Version {
  if (version.prerelease.length > 0) return { ...version, prerelease: [...version.prerelease, 0n] };
  return { ...version, patch: version.patch + 1n, prerelease: [0n] };
}

/** Longer ranges are not evaluated: the time would grow with the square of their length. */
const maxComparators = 32;

/** Whether no version lies in the range. What does lie in one begins at the lowest version, at one that is named, or just above it. */
export function coversNothing(range: VersionRange): boolean {
  const named = range.alternatives.flat().map(({ version }) => version);
  if (named.length > maxComparators) return false;
  const candidates = [lowest, ...named, ...named.map(successor)];
  return !candidates.some((version) => isInRange(version, range));
}
