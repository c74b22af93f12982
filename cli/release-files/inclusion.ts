import { parseVersion } from '../../src/constraints/index.ts';
import { type LoadedManifests, type ReleasePayload, selectManifests } from '../../src/release/index.ts';

/** What decides which manifests of a release a cluster loads, as options have it. */
export interface Inclusion {
  readonly profile: string;
  readonly 'feature-set': string;
  readonly 'feature-gate': readonly string[];
}

/** What a cluster of these options loads of a release. */
export function loadedBy({ metadata, manifests }: ReleasePayload, values: Inclusion): LoadedManifests {
  return selectManifests(manifests, {
    engine: '',
    profile: values.profile,
    featureSet: values['feature-set'],
    enabledFeatureGates: new Set(values['feature-gate']),
    majorVersion: parseVersion(metadata.version).major,
  });
}
