import type { Explanation } from './explanation.ts';

const csv = String.raw`^objects\[ClusterServiceVersion [^\]]+\]`;

/** Every difference from the real OLM, with its reason. Those that occur no more have to be removed.
 *  @see docs/olm-conformance.md */
export const explanations: readonly Explanation[] = [
  {
    kind: 'deliberate',
    reason:
      'The namespace of the OperatorGroup is written to both annotations, that of the documentation and that of the original.',
    path: /\[olm\.operatorGroupNamespace\]$/,
  },
  {
    kind: 'defect',
    reason: 'Labels `olm.api.*` find the ClusterServiceVersions that an API concerns. The original never writes them.',
    path: new RegExp(String.raw`${csv}\.metadata\.labels(?:\[olm\.api\.<hash>\])?$`),
    shows: /olm\.api|"provided"|"required"/,
  },
  {
    kind: 'defect',
    reason: 'An owner reference names the kind `CustomResourceDefinition`, which the original writes in lower case.',
    path: /^objects\[ClusterRole [^\]]+\]\.metadata\.ownerReferences\[\d+\]\.kind$/,
    shows: /"customresourcedefinition" "CustomResourceDefinition"/,
  },
  {
    kind: 'defect',
    reason:
      'The original goes round for ever between a failure and another try of what failed. The failure stays here until something changes.',
    scenarios: ['T03', 'T05-E055', 'T06a', 'T06b', 'T07', 'T13'],
  },
  {
    kind: 'defect',
    reason:
      'Webhooks that intercept webhook configurations are refused by the plural names too, which are those that rules use.',
    scenarios: ['T06c'],
  },
  {
    kind: 'defect',
    reason:
      'The original writes the status only when phase, reason or message change, so that the requirements in it are outdated.',
    path: new RegExp(String.raw`${csv}\.status\.requirementStatus`),
    scenarios: ['T04c'],
  },
];
