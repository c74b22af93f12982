import type { Change } from './state.ts';

interface Explained {
  readonly reason: string;
  readonly object: RegExp;
  readonly path: RegExp;
}

/** What the controllers change of what the real OLM has left, and why. Nothing of it is in the spec of an object. */
const explained: readonly Explained[] = [
  {
    reason: 'a hash in a label is calculated otherwise',
    object: /^(Deployment|ValidatingWebhookConfiguration|MutatingWebhookConfiguration) /,
    path: /^\.metadata\.labels\.olm\.(deployment-spec|webhook-description)-hash$/,
  },
  {
    reason: 'labels by which operators are found that an API concerns',
    object: /^ClusterServiceVersion /,
    path: /^\.metadata\.labels(\.olm\.api\.[0-9a-f]+)?$/,
  },
  {
    reason: 'the namespace of the group by its second name',
    object: /^ClusterServiceVersion /,
    path: /^\.metadata\.annotations\.olm\.operatorGroupNamespace$/,
  },
  {
    reason: 'what OLM leaves as it was when it last wrote the phase',
    object: /^ClusterServiceVersion /,
    path: /^\.status\.requirementStatus/,
  },
  {
    reason: 'the object that permissions of the cluster were lifted from, by its uid',
    object: /^ClusterRole(Binding)? /,
    path: /^\.metadata\.annotations$/,
  },
  {
    reason: 'ClusterRoles of an APIService, by a name that has its group',
    object: /^ClusterRole \w+\.[\w.-]+-v1-(admin|edit|view)$/,
    path: /^$/,
  },
  {
    reason: 'the catalogs were connected to again, and the resolution was repeated',
    object: /^(CatalogSource|Subscription|Operator) /,
    path: /\.(lastConnect|lastUpdated|lastUpdateTime|lastTransitionTime|message|resourceVersion|conditions)$/,
  },
  {
    reason: 'the order of targets is chance in OLM',
    object: /^OperatorGroup /,
    path: /^\.status\.(namespaces\[\d\]|lastUpdated)$/,
  },
];

/** Changes that none of the reasons allows. */
export function unexplained(changes: readonly Change[]): readonly Change[] {
  return changes.filter(({ object, path }) => {
    return !explained.some((one) => one.object.test(object) && one.path.test(path));
  });
}
