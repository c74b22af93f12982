import { compareVersions, parseVersion, type Version } from '../../src/constraints/index.ts';

/** Undefined for a text that is no semantic version. */
export function tryVersion(text: string): Version | undefined {
  try {
    return parseVersion(text);
  } catch {
    return undefined;
  }
}

/** The highest version first, texts that are none last. */
export function sortedByVersion<T>(items: readonly T[], versionOf: (item: T) => string): T[] {
  return items.toSorted((a, b) => {
    const [textA, textB] = [versionOf(a), versionOf(b)];
    const [versionA, versionB] = [tryVersion(textA), tryVersion(textB)];
    if (versionA !== undefined && versionB !== undefined) return compareVersions(versionB, versionA);
    if (versionA === undefined && versionB === undefined) return textA > textB ? -1 : 1;
    return versionA === undefined ? 1 : -1;
  });
}
