/** Members of `olm.csv.metadata` that have the same name in a ClusterServiceVersion's spec. */
export const sameNamedFields = [
  'description',
  'displayName',
  'installModes',
  'keywords',
  'links',
  'maintainers',
  'maturity',
  'minKubeVersion',
  'nativeAPIs',
  'provider',
] as const;

/** Members of `olm.csv.metadata` → what they are called in a ClusterServiceVersion's spec. */
export const renamedFields: Readonly<Record<string, string>> = {
  apiServiceDefinitions: 'apiservicedefinitions',
  crdDescriptions: 'customresourcedefinitions',
};
