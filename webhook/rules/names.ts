/** Every rule of admission by the name that metrics have for it, and what it is about; docs/monitoring.md shows them. */
export const ruleMeanings = {
  'source-union': 'the source of a template and its git reference have exactly one member',
  'source-type': 'the type of a source is supported',
  'source-member': 'a source has the fields that its type requires',
  'git-directory': 'the directory stays within the repository',
  'git-commit': 'a commit is a full hash',
  'image-reference': 'an image reference is well formed',
  'config-map-entries': 'ConfigMaps of a source stay within the bundle and cannot change',
  'secret-hosts': 'warns when a Secret does not name the host that it is sent to',
  'moving-reference': 'warns of tags and branches, which may move',
  'content-metadata': 'metadata files of the source, where readable, are valid',
  'bundle-annotations': 'annotations about a bundle are valid',
  'provisioner-class': 'warns of a class that no known provisioner serves',
  'spec-immutable': 'the spec of a Bundle is immutable',
  'deployment-config': '`spec.config` is valid for the provisioner class',
  'service-account': 'a user who sets a service account may impersonate it',
  dependencies: 'the dependencies of a new template are met',
  required: 'a BundleDeployment that others require is neither deleted nor replaced',
  'crd-safety-annotations': 'warns of unknown checks in annotations of CustomResourceDefinitions',
  'crd-upgrade': 'a changed CustomResourceDefinition is compatible with existing objects',
  'config-map-referenced': 'a new ConfigMap that Bundles reference is immutable',
  'config-map-in-use': 'a ConfigMap that Bundles reference is not deleted',
  'platform-operator-name': 'the name of a PlatformOperator is valid for its BundleDeployment',
  'platform-operator-package': 'its package name is well formed',
  'platform-operator-package-immutable': 'its package is immutable',
  'platform-operator-unique': 'no other PlatformOperator installs its package',
  'catalog-name-label': 'sets its name as a label on a ClusterCatalog; denies nothing',
} as const;

/** One of `ruleMeanings`. */
export type RuleName = keyof typeof ruleMeanings;
