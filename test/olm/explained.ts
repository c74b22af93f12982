import type { Explanation } from '../support/explanation.ts';
import { catalogExplanations } from './explained-catalogs.ts';

const csv = String.raw`^objects\[ClusterServiceVersion [^\]]+\]`;

/** Every difference from the real OLM, with its reason. Those that occur no more have to be removed.
 *  @see docs/olm-conformance.md */
export const explanations: readonly Explanation[] = [
  {
    kind: 'deliberate',
    reason:
      'A hash that another implementation wrote, or a user, is compared by the content of the Deployment: where that is as it should be, only the label is corrected, and nothing is installed again. So operators that the original has installed go on.',
    scenarios: ['I9b'],
    shows: /installing: deployment changed old hash/,
  },
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
    scenarios: [
      'T03',
      'T05-E055',
      'T06a',
      'T06b',
      'T07',
      'T13',
      'T21',
      'T30',
      'T43',
      'C-027-C-028',
      'E-057b',
      'E-057c',
      'E-057d',
    ],
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
  {
    kind: 'defect',
    reason:
      'Nothing changes, and the original goes round for ever between a refused installation and another try. Longshore waits for a change of RBAC or of the group.',
    scenarios: ['T12', 'T41', 'E-006a'],
  },
  {
    kind: 'deliberate',
    reason:
      'A refused request is reported in the words of the API server, once. Longshore does not read an object before it creates it.',
    shows: /is forbidden: User/,
  },
  {
    kind: 'defect',
    reason:
      'A group whose service account does not exist resolves its namespaces all the same. In the original its operators have no status at all.',
    scenarios: ['E-006c', 'E-039c'],
  },
  {
    kind: 'deliberate',
    reason: 'The status of a group that selects nothing has the time of its last update.',
    scenarios: ['T44'],
    path: /^objects\[OperatorGroup /,
  },
  {
    kind: 'deliberate',
    reason:
      'A step whose object the plan created stays `Created`. The original checks a plan with a CustomResourceDefinition twice and shows `Present` then, or not.',
    path: /^objects\[InstallPlan [^\]]+\]\.status\.plan\[\d+\]\.status$/,
    shows: /"Present" "Created"/,
  },
  {
    kind: 'deliberate',
    reason: 'The RoleBinding in `kube-system` names its owner and is deleted with it.',
    path: /^objects\[RoleBinding kube-system\/[^\]]+\]\.metadata\.labels\[olm\.owner/,
  },
  {
    kind: 'defect',
    reason:
      'ClusterRoles of an APIService are named with its group, as those of a CustomResourceDefinition. In the original those of two groups overwrite one another.',
    path: /^objects\[ClusterRole \$id-(?:boats|docks)\b/,
  },
  {
    kind: 'deliberate',
    reason: 'Lifted ClusterRoles and ClusterRoleBindings name the object that they were made from.',
    path: /^objects\[ClusterRole(?:Binding)? boat\]\.metadata\.annotations$/,
    shows: /lifted-from/,
  },
  {
    kind: 'deliberate',
    reason:
      'The ClusterRoles of a group aggregate the APIs of its active members. The original aggregates those of every ClusterServiceVersion of the namespace, for which there are no ClusterRoles.',
    scenarios: [
      'C-010',
      'T44',
      'T45-T27-C031',
      'C-025b',
      'C-026b',
      'C-029',
      'C-031',
      'C-050',
      'C-039-C-050',
      'C-056-C-060-C-066',
      'E-053d',
      'E-057a',
      'E-062',
      'E-066a',
      'C-067',
      'E-003',
      'E-062b',
      'E-065',
      'E-068a',
      'E-070a',
    ],
    path: /^objects\[ClusterRole olm\.og\.[^\]]+\]\.(?:aggregationRule|rules)$/,
  },
  {
    kind: 'deliberate',
    reason: 'OperatorGroups have the additional short name `org`, which the documentation prints.',
    scenarios: ['C-005'],
    path: /^answers\./,
    shows: /org/,
  },
  {
    kind: 'chance',
    reason:
      'Whether what serves an API is seen missing while it is deleted, or made again, depends on who looks first.',
    scenarios: ['E-014b', 'T19a'],
    path: /^(?:phases|events|objects\[ClusterServiceVersion)/,
    shows: /APIServiceResourceIssue/,
  },
  {
    kind: 'chance',
    reason: 'Of several annotations `installed-alongside` with hashes one is compared.',
    path: /installed-alongside-<hash>\]$/,
  },
  {
    kind: 'deliberate',
    reason:
      'InstallPlans that a user writes are resolved and executed, as the documentation promises. The original ignores them.',
    scenarios: ['C-014', 'C-014b', 'C-015'],
  },
  {
    kind: 'deliberate',
    reason:
      'Every object that a plan creates belongs to the ClusterServiceVersion, ServiceAccounts and ClusterRoles of a bundle too.',
    scenarios: ['C-006c'],
    path: /^objects\[(?:ClusterRole \$id-extra|ServiceAccount \$id-a\/extra|Operator boat\.\$id-a)\]/,
  },
  {
    kind: 'defect',
    reason:
      'The row of a ServiceAccount with permissions in its namespace and in the cluster lists both. The original lists the rules of one.',
    path: new RegExp(String.raw`${csv}\.status\.requirementStatus\[\d+\]\.dependents`),
    scenarios: ['C-006b', 'C-002', 'E-034a', 'E-034b'],
  },
  {
    kind: 'defect',
    reason:
      'A ServiceAccount with permissions in its namespace only has a row in the requirements of every operator. In the original those that a plan installed lack it.',
    path: new RegExp(String.raw`${csv}\.status\.requirementStatus\[\d+\]$`),
    scenarios: ['E-031', 'E-034a', 'E-034b'],
    shows: /"kind":"ServiceAccount"/,
  },
  {
    kind: 'chance',
    reason:
      'Whether a Subscription is resolved while an upgrade is held or under way depends on what changes meanwhile. Then ResolutionFailed names both versions. Longshore removes it after the upgrade, the original with the next resolution.',
    path: /^objects\[Subscription [^\]]+\]\.status\.conditions\[\d+\]$/,
    scenarios: ['E-033c', 'E-034b'],
    shows: /ConstraintsNotSatisfiable|exists and is not referenced by a subscription/,
  },
  {
    kind: 'defect',
    reason: 'The path of a field that a new schema refuses is `spec.size`. The original writes `[].spec.size`.',
    scenarios: ['E-033b'],
    shows: /updated validation is too restrictive: (?:\[\]\.)?spec\.size/,
  },
  {
    kind: 'deliberate',
    reason:
      'Labels that others put on a CustomResourceDefinition stay when a plan updates it. The original replaces all labels.',
    scenarios: ['E-035'],
    path: /^objects\[CustomResourceDefinition [^\]]+\]\.metadata\.labels/,
  },
  {
    kind: 'deliberate',
    reason:
      'Permissions are lifted for a member of a global group whatever others allow its ServiceAccount, so that it keeps them when those take theirs away.',
    scenarios: ['C-046b'],
    path: /^objects\[ClusterRole(?:Binding)? boat\]$/,
  },
  {
    kind: 'chance',
    reason: 'A ClusterServiceVersion may look for what its plan, or a user, is about to create.',
    path: /^(?:events|phases\[|objects\[ClusterServiceVersion [^\]]+\]\.status\.conditions)/,
    shows: /RequirementsNotMet.*one or more requirements couldn't be found"?\s*$/,
  },
  {
    kind: 'deliberate',
    reason: 'A step of a kind that plans do not support is named.',
    scenarios: ['E-040b'],
  },
  {
    kind: 'resync',
    reason: 'A plan that waits for approval and is deleted is made again at once.',
    scenarios: ['E-041'],
  },
  {
    kind: 'deliberate',
    reason: 'Certificates are rotated when the status calls for it, not only when those in the Secret expire.',
    scenarios: ['E-012a', 'T20', 'T33'],
  },
  {
    kind: 'resync',
    reason:
      'The successor of an operator with an APIService or a webhook keeps the certificate, which the original loses with the predecessor and makes again.',
    scenarios: ['E-016a', 'E-056b'],
  },
  {
    kind: 'defect',
    reason: 'The RoleBinding in `kube-system` is deleted with the operator. The original leaves it.',
    scenarios: ['E-012c', 'E-014b', 'E-053d', 'E-057a'],
    path: /^objects\[RoleBinding kube-system\//,
  },
  {
    kind: 'chance',
    reason:
      'A new CustomResourceDefinition of the group takes the place of an APIService that was labelled by hand, or does not.',
    scenarios: ['E-016b'],
    path: /^objects\[APIService /,
  },
  {
    kind: 'defect',
    reason:
      'A new strategy is applied after a Deployment exceeded its progress deadline. In the original the ClusterServiceVersion stays Failed for good.',
    scenarios: ['I3'],
  },
  {
    kind: 'defect',
    reason: 'A ClusterServiceVersion that replaces itself is installed. The original waits for it for ever.',
    scenarios: ['T01b'],
  },
  {
    kind: 'deliberate',
    reason:
      'The CustomResourceDefinitions of an operator are its components, also where a user labelled the ClusterServiceVersion.',
    scenarios: ['C-037'],
    path: /^objects\[(?:CustomResourceDefinition|Operator) /,
  },
  {
    kind: 'deliberate',
    reason: 'After the words of the original, an explanation of the resolver follows.',
    path: /^objects\[Subscription [^\]]+\]\.status\.conditions\[\d+\]\.message$/,
    shows: /^"(.{40})[\s\S]* "\1/,
  },
  {
    kind: 'deliberate',
    reason: 'Every condition of a Subscription has the time of its last transition.',
    path: /^objects\[Subscription [^\]]+\]\.status\.conditions\[\d+\]\.lastTransitionTime$/,
  },
  {
    kind: 'deliberate',
    reason: 'A Subscription reports that its namespace has no OperatorGroup.',
    scenarios: ['E-037'],
    path: /^objects\[Subscription /,
  },
  {
    kind: 'defect',
    reason:
      'What a Subscription configures is applied with the first installation. The original needs a second rollout for it.',
    scenarios: ['E-044'],
  },
  {
    kind: 'deliberate',
    reason:
      'An operator keeps the API that it provides when another group claims it later: the later operator is refused, as rows C-061 and C-062 have it. In the original the earlier one fails, so that who may annotate a group could stop operators of others.',
    scenarios: ['C-061', 'C-062'],
  },
  {
    kind: 'defect',
    reason:
      'Two operators with one Deployment write it for ever in the original, and both are Succeeded. Here the second is refused, and the Deployment is named.',
    scenarios: ['C-059'],
  },
  {
    kind: 'defect',
    reason:
      'The original goes round for ever while the API of an operator is refused: its metrics come and go, and so does a copy of it in the namespace that it was refused.',
    scenarios: ['E-004b'],
    path: /^(?:restless|metrics|phases\[ClusterServiceVersion \$id-d\/boat\.v0\.1\.0\])$/,
  },
  {
    kind: 'chance',
    reason:
      'The history of a ClusterServiceVersion has twenty entries. How many of them are waits decides which are the first.',
    scenarios: ['E-001'],
    path: /^objects\[ClusterServiceVersion [^\]]+\]\.status\.conditions$/,
    shows: /requirements not yet checked/,
  },
  {
    kind: 'defect',
    reason:
      'An operator whose install modes the group does not support has no copies: they would claim that it manages their namespaces.',
    scenarios: ['E-001'],
    path: /^(?:objects|phases)\[ClusterServiceVersion \$id-[bc]\//,
  },
  {
    kind: 'defect',
    reason:
      'Any object that a user labels is a component of the Operator, which is there as long as components are. The original sees only those with `olm.managed`.',
    scenarios: ['E-070b'],
    path: /^objects\[Operator /,
  },
  ...catalogExplanations,
];
