import { manifestKeyText, type ReleaseManifest } from './manifest.ts';
import type { ReleasePayload } from './payload.ts';

/** Something that two releases have, or one of them. */
export interface Changed<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** What differs between two releases. */
export interface ReleaseDifference {
  /** By the name of the image, sorted. */
  readonly images: readonly (Changed<string> & { readonly name: string })[];
  /** In the order of the newer release; what only the older one has comes last. */
  readonly manifests: readonly Changed<ReleaseManifest>[];
}

function* changes<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  isSame: (a: T, b: T) => boolean,
): Generator<Changed<T> & { readonly key: string }> {
  for (const [key, value] of after) {
    const old = before.get(key);
    if (old === undefined || !isSame(old, value)) yield { key, before: old, after: value };
  }
  for (const [key, value] of before) if (!after.has(key)) yield { key, before: value, after: undefined };
}

const imagesOf = ({ images }: ReleasePayload): ReadonlyMap<string, string> =>
  new Map(images.images.map(({ name, from }) => [name, from]));

/** A key may come several times, for different profiles and feature sets: the file distinguishes them. */
const manifestsOf = ({ manifests }: ReleasePayload): ReadonlyMap<string, ReleaseManifest> =>
  new Map(manifests.map((manifest) => [`${manifestKeyText(manifest.key)} ${manifest.fileName}`, manifest]));

/** Compares two releases, object by object. */
export function compareReleases(before: ReleasePayload, after: ReleasePayload): ReleaseDifference {
  const images = [...changes(imagesOf(before), imagesOf(after), (a, b) => a === b)];
  const isSame = (a: ReleaseManifest, b: ReleaseManifest): boolean => a.canonicalText === b.canonicalText;
  return {
    images: images
      .map((change) => ({ name: change.key, before: change.before, after: change.after }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    manifests: [...changes(manifestsOf(before), manifestsOf(after), isSame)].map((change) => ({
      before: change.before,
      after: change.after,
    })),
  };
}
