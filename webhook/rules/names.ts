/** Every rule of admission by the name that metrics have for it, and what it is about; docs/monitoring.md shows them. */
export const ruleMeanings = {
  'source-union': 'the source of a template, and its git reference, have exactly one member',
  'source-type': 'the type of a source is one that there is',
  'source-member': 'what a source of its type needs is there',
  'git-directory': 'the directory stays within the repository',
  'git-commit': 'a commit is a full hash',
  'image-reference': 'an image reference is well formed',
  'config-map-entries': 'ConfigMaps of a source stay within the bundle and cannot change',
  'secret-hosts': 'warns that a Secret must name the host that a source sends it to',
  'moving-reference': 'warns of tags and branches, which may move',
  'content-metadata': 'metadata files that can be read already are right',
  'bundle-annotations': 'annotations that speak of a bundle are right',
  'provisioner-class': 'warns of a class that no known provisioner serves',
  'spec-immutable': 'the spec of a Bundle stays',
  'deployment-config': '`spec.config` is what the provisioner class knows',
  'service-account': 'who names a service account may impersonate it',
  dependencies: 'what a new template brings finds what it needs',
  required: 'what others need is neither deleted nor replaced',
  'crd-safety-annotations': 'warns of switches for checks of CustomResourceDefinitions that say nothing',
  'crd-upgrade': 'a changed CustomResourceDefinition harms no object',
  'config-map-referenced': 'a new ConfigMap that Bundles name is immutable',
  'config-map-in-use': 'a ConfigMap that Bundles name is not deleted',
  'platform-operator-name': 'the name of a PlatformOperator can be that of a BundleDeployment',
  'platform-operator-package': 'the name of its package is well formed',
  'platform-operator-package-kept': 'its package stays the same',
  'platform-operator-unique': 'no other PlatformOperator installs its package',
  'catalog-name-label': 'puts its name as a label on a ClusterCatalog; refuses nothing',
} as const;

/** One of `ruleMeanings`. */
export type RuleName = keyof typeof ruleMeanings;
