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
