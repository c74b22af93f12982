/** What the demo is about: where its sources are, and what a person has in front of them. */
export interface StoryPlaces {
  /** Clone URL of the git repository that has a tag for each version. */
  readonly repository: string;
  /** `host:port/combo`, without a tag. */
  readonly image: string;
  /** Of the catalog of operators, without a tag. */
  readonly catalogImage: string;
  /** A file that stays: a picture of updates. */
  readonly picture: string;
}

export type Step =
  | { readonly comment: string }
  /** Writes `file` into the working folder and shows it. */
  | { readonly write: string; readonly content: string }
  | BackgroundStep
  | LongshoreStep
  | KubectlStep;

interface BackgroundStep {
  /** Words of a program that runs until the demo ends: `longshore …`, or `node …` with a file below `examples/`. */
  readonly background: readonly string[];
}

interface LongshoreStep {
  /** Words of a command of this program; `examples/` is where its examples are. */
  readonly longshore: readonly string[];
  /** The command must fail; its error is part of the story. */
  readonly isRefused?: boolean;
}

interface KubectlStep {
  readonly kubectl: readonly string[];
  /** The command must be refused; its error is part of the story. */
  readonly isRefused?: boolean;
}

/** How long a person would wait for something to happen, as kubectl takes it. */
export const patience: string = '--timeout=60s';

function bundleYaml(places: StoryPlaces): string {
  return `apiVersion: core.rukpak.io/v1alpha1
kind: Bundle
metadata:
  name: combo-tag-ref
spec:
  provisionerClassName: core-rukpak-io-plain
  source:
    type: git
    git:
      repository: ${places.repository}
      ref:
        tag: v0.0.2
`;
}

function bundleDeploymentYaml(places: StoryPlaces, version: string): string {
  return `apiVersion: core.rukpak.io/v1alpha1
kind: BundleDeployment
metadata:
  name: combo
spec:
  provisionerClassName: core-rukpak-io-plain
  template:
    metadata:
      labels:
        app: combo
    spec:
      provisionerClassName: core-rukpak-io-plain
      source:
        type: image
        image:
          ref: ${places.image}:${version}
`;
}

function bundleChapter(places: StoryPlaces): Step[] {
  const otherTag = '{"spec":{"source":{"git":{"ref":{"tag":"v0.0.3"}}}}}';
  return [
    { comment: 'A Bundle points at content, here a tag in a git repository. It is fetched once and never changes.' },
    { write: 'bundle.yaml', content: bundleYaml(places) },
    { kubectl: ['apply', '-f', 'bundle.yaml'] },
    { kubectl: ['wait', 'bundle/combo-tag-ref', '--for=condition=Unpacked', patience] },
    { kubectl: ['patch', 'bundle', 'combo-tag-ref', '--type=merge', '-p', otherTag], isRefused: true },
    { kubectl: ['get', 'bundles'] },
    { kubectl: ['get', 'bundle', 'combo-tag-ref', '-o', 'jsonpath={.status.resolvedSource.git.ref}{"\\n"}'] },
  ];
}

function installChapter(places: StoryPlaces): Step[] {
  return [
    { comment: 'A BundleDeployment makes content active, here an image. It creates the Bundle from its template.' },
    { write: 'bundledeployment.yaml', content: bundleDeploymentYaml(places, 'v0.0.2') },
    { kubectl: ['apply', '-f', 'bundledeployment.yaml'] },
    { kubectl: ['wait', 'bd/combo', '--for=condition=Installed', patience] },
    { kubectl: ['get', 'bd', 'combo'] },
    { kubectl: ['rollout', 'status', 'deployment/combo', '-n', 'combo', patience] },
    { kubectl: ['get', 'deployments,configmaps,combinations', '-n', 'combo'] },
  ];
}

function pivotChapter(places: StoryPlaces): Step[] {
  return [
    { comment: 'The second version: one ConfigMap changes, one is deleted, and the old Bundle is deleted last.' },
    { write: 'bundledeployment.yaml', content: bundleDeploymentYaml(places, 'v0.0.3') },
    { kubectl: ['apply', '-f', 'bundledeployment.yaml'] },
    { kubectl: ['wait', 'configmap/combo-legacy', '-n', 'combo', '--for=delete', patience] },
    { kubectl: ['wait', 'bd/combo', '--for=condition=Installed', patience] },
    { kubectl: ['get', 'configmap', 'combo-settings', '-n', 'combo', '-o', 'jsonpath={.data.mode}{"\\n"}'] },
    { kubectl: ['get', 'configmaps,deployments', '-n', 'combo'] },
    { kubectl: ['get', 'bd,bundles'] },
  ];
}

function failureChapter(places: StoryPlaces): Step[] {
  const why = 'jsonpath={.status.conditions[?(@.type=="Installed")].message}{"\\n"}';
  return [
    {
      comment: 'The third version changes an immutable field. Nothing is written; the second version stays installed.',
    },
    { write: 'bundledeployment.yaml', content: bundleDeploymentYaml(places, 'v0.0.4') },
    { kubectl: ['apply', '-f', 'bundledeployment.yaml'] },
    { kubectl: ['wait', 'bd/combo', '--for=condition=Installed=false', patience] },
    { kubectl: ['get', 'bd', 'combo'] },
    { kubectl: ['get', 'bd', 'combo', '-o', why] },
    { kubectl: ['get', 'deployment', 'combo', '-n', 'combo', '-o', 'wide'] },
  ];
}

const removalChapter: readonly Step[] = [
  {
    comment:
      'Deleting the BundleDeployment deletes what it installed; the first Bundle stays until it is deleted, too.',
  },
  { kubectl: ['delete', 'bd', 'combo', patience] },
  { kubectl: ['wait', 'namespace/combo', '--for=delete', patience] },
  { kubectl: ['get', 'bd,bundles'] },
  { kubectl: ['delete', 'bundle', 'combo-tag-ref', patience] },
  { kubectl: ['get', 'crd'] },
];

function catalogChapter({ picture }: StoryPlaces): readonly Step[] {
  const graph = ['catalog', 'graph', 'tide-gauge', '--catalog', 'examples/catalog/configs', '--installed', '0.1.0'];
  return [
    {
      comment:
        'Operators come from catalogs. This is the update graph of one of them, with the updates of version 0.1.0 highlighted; then the same graph as a picture in a file.',
    },
    { longshore: graph },
    { longshore: [...graph, '--file', picture] },
  ];
}

/** The demo from beginning to end. */
export function story(places: StoryPlaces): readonly Step[] {
  return [
    ...bundleChapter(places),
    ...installChapter(places),
    ...pivotChapter(places),
    ...failureChapter(places),
    ...removalChapter,
    ...catalogChapter(places),
  ];
}
