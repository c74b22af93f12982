import { patience, type Step, type StoryPlaces } from './story.ts';

const namespace = 'operators';

function catalogSourceYaml({ catalogImage }: StoryPlaces, tag: string): string {
  return `apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata:
  name: examples
  namespace: olm
spec:
  sourceType: grpc
  displayName: Examples
  image: ${catalogImage}:${tag}
`;
}

function subscriptionYaml(place: string): string {
  return `apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata:
  name: tide-gauge
  namespace: ${place}
spec:
  name: tide-gauge
  channel: stable-v0
  source: examples
  sourceNamespace: olm
  installPlanApproval: Manual
`;
}

const groupYaml = `apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata:
  name: harbour-office
  namespace: harbour-office
spec:
  targetNamespaces: [harbour-office]
`;

const namespaceYaml = `apiVersion: v1
kind: Namespace
metadata:
  name: harbour-office
`;

const waitsForApproval = `--for=condition=InstallPlanPending`;
const succeeded = '--for=jsonpath={.status.phase}=Succeeded';

function catalogChapter(places: StoryPlaces): readonly Step[] {
  const ready = '--for=jsonpath={.status.connectionState.lastObservedState}=READY';
  return [
    { comment: 'A CatalogSource names the image of a catalog. It is unpacked and served without a Pod.' },
    { write: 'catalogsource.yaml', content: catalogSourceYaml(places, 'v1') },
    { kubectl: ['apply', '-f', 'catalogsource.yaml'] },
    { kubectl: ['wait', 'catsrc/examples', '-n', 'olm', ready, patience] },
    { kubectl: ['get', 'packagemanifests', '-n', 'olm'] },
  ];
}

const installChapter: readonly Step[] = [
  {
    comment:
      'A Subscription follows a channel of a package. With manual approval nothing is installed before the plan is approved.',
  },
  { write: 'subscription.yaml', content: subscriptionYaml(namespace) },
  { kubectl: ['apply', '-f', 'subscription.yaml'] },
  { kubectl: ['wait', 'sub/tide-gauge', '-n', namespace, waitsForApproval, patience] },
  { longshore: ['operator', 'describe', 'tide-gauge'] },
  { longshore: ['operator', 'approve', 'tide-gauge', '--yes'] },
  { kubectl: ['get', 'csv', '-n', namespace] },
];

function upgradeChapter(places: StoryPlaces): readonly Step[] {
  return [
    { comment: 'The next catalog has 0.1.1, which skips 0.1.0, and 0.2.0 in another channel, which needs harbour.' },
    { write: 'catalogsource.yaml', content: catalogSourceYaml(places, 'v2') },
    { kubectl: ['apply', '-f', 'catalogsource.yaml'] },
    {
      kubectl: [
        'wait',
        'sub/tide-gauge',
        '-n',
        namespace,
        '--for=jsonpath={.status.currentCSV}=tide-gauge.v0.1.1',
        patience,
      ],
    },
    { longshore: ['operator', 'upgrade', 'tide-gauge', '--yes'] },
    { longshore: ['operator', 'upgrade', 'tide-gauge', '--channel', 'candidate-v0', '--yes'] },
    { kubectl: ['get', 'sub', '-n', namespace] },
    { kubectl: ['wait', 'csv/harbour.v1.0.0', '-n', namespace, succeeded, patience] },
    { kubectl: ['get', 'csv', '-n', namespace] },
  ];
}

const tenancyChapter: readonly Step[] = [
  {
    comment:
      'Two operators that provide the same API must not watch the same namespace. The second one fails until the first one is removed.',
  },
  { write: 'namespace.yaml', content: namespaceYaml },
  { kubectl: ['apply', '-f', 'namespace.yaml'] },
  { write: 'operatorgroup.yaml', content: groupYaml },
  { kubectl: ['apply', '-f', 'operatorgroup.yaml'] },
  { write: 'subscription.yaml', content: subscriptionYaml('harbour-office') },
  { kubectl: ['apply', '-f', 'subscription.yaml'] },
  { kubectl: ['wait', 'sub/tide-gauge', '-n', 'harbour-office', waitsForApproval, patience] },
  { longshore: ['operator', 'approve', 'tide-gauge', '-n', 'harbour-office', '--yes'], isRefused: true },
  { longshore: ['operator', 'uninstall', 'tide-gauge', '--yes'] },
  { kubectl: ['wait', 'csv/tide-gauge.v0.1.1', '-n', 'harbour-office', succeeded, patience] },
  { longshore: ['operator', 'list'] },
];

const removalChapter: readonly Step[] = [
  { comment: 'Custom resources and their definitions stay when an operator is removed.' },
  { longshore: ['operator', 'uninstall', 'tide-gauge', '-n', 'harbour-office', '--yes'] },
  { longshore: ['operator', 'uninstall', 'harbour', '--yes'] },
  { kubectl: ['get', 'csv', '-n', namespace] },
  { kubectl: ['get', 'crd', 'gauges.tide.example.com'] },
];

/** Operators of a catalog by Subscriptions, from beginning to end. */
export function olmStory(places: StoryPlaces): readonly Step[] {
  return [
    ...catalogChapter(places),
    ...installChapter,
    ...upgradeChapter(places),
    ...tenancyChapter,
    ...removalChapter,
  ];
}
