import { parseVersion } from '../../src/constraints/index.ts';
import { type LoadedManifests, type ReleasePayload, selectManifests } from '../../src/release/index.ts';
import type { OptionValues } from '../command/index.ts';

/** Which manifests of a release a cluster loads. */
export const inclusionOptions = {
  profile: {
    kind: 'text',
    placeholder: 'NAME',
    default: 'self-managed-high-availability',
    description: 'Cluster profile.',
  },
  'feature-set': { kind: 'text', placeholder: 'NAME', default: 'Default', description: 'Feature set of the cluster.' },
  'feature-gate': { kind: 'list', placeholder: 'NAME', description: 'Enabled feature gate; may be repeated.' },
} as const;

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
