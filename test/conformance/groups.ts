/** A test file of this folder, without its extension; `requests` runs every area that no other one has. */
export type Group =
  | 'access'
  | 'admission'
  | 'applying'
  | 'built-in-kinds'
  | 'controllers'
  | 'custom-resources'
  | 'requests';

const namesOfAreas: readonly (readonly [RegExp, Group])[] = [
  [/^(auth|certificate-requests)/, 'access'],
  [/^(admission|plugins|policy|webhook)-/, 'admission'],
  [/^(apply|field-validation|json-patch|managed-fields|strategic-patch)/, 'applying'],
  [/^manifests-/, 'built-in-kinds'],
  [/^(evictions|garbage|infrastructure|namespace|pod-sub|rollouts|service|workload)/, 'controllers'],
  [/^(cel|crd|custom)-/, 'custom-resources'],
];

/** The test file that runs an area, by the name of the area's file. */
export function groupOf(areaFile: string): Group {
  return namesOfAreas.find(([names]) => names.test(areaFile))?.[1] ?? 'requests';
}
