import { parseVersion } from '../../src/constraints/index.ts';
import { type LoadedManifests, type ReleasePayload, selectManifests } from '../../src/release/index.ts';
import type { OptionValues } from '../command/index.ts';
import type { inclusionOptions } from './options.ts';

/** What a cluster of these options loads of a release. */
export function loadedBy(
  { metadata, manifests }: ReleasePayload,
  values: OptionValues<typeof inclusionOptions>,
): LoadedManifests {
  return selectManifests(manifests, {
    engine: '',
    profile: values.profile,
    featureSet: values['feature-set'],
    enabledFeatureGates: new Set(values['feature-gate']),
    majorVersion: parseVersion(metadata.version).major,
  });
}
