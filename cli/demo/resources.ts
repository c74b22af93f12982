import { TerminalError } from '../../src/base/index.ts';

/** A resource of a story. */
interface StoryResource {
  /** The words that kubectl takes for it. */
  readonly words: readonly [string, ...string[]];
  readonly kind: string;
  /** `NS` stands for the namespace. */
  readonly path: string;
  /** How kubectl names it: `deployment.apps`. */
  readonly label: string;
}

const rukpak = '/apis/core.rukpak.io/v1alpha1';
const operators = '/apis/operators.coreos.com/v1alpha1/namespaces/NS';

const machines = '/apis/machine.openshift.io/v1beta1/namespaces/NS';

const resources: readonly StoryResource[] = [
  {
    words: ['machine', 'machines'],
    kind: 'Machine',
    path: `${machines}/machines`,
    label: 'machine.machine.openshift.io',
  },
  {
    words: ['machineset'],
    kind: 'MachineSet',
    path: `${machines}/machinesets`,
    label: 'machineset.machine.openshift.io',
  },
  {
    words: ['mcp', 'machineconfigpool'],
    kind: 'MachineConfigPool',
    path: '/apis/machineconfiguration.openshift.io/v1/machineconfigpools',
    label: 'machineconfigpool.machineconfiguration.openshift.io',
  },
  {
    words: ['machineconfig'],
    kind: 'MachineConfig',
    path: '/apis/machineconfiguration.openshift.io/v1/machineconfigs',
    label: 'machineconfig.machineconfiguration.openshift.io',
  },
  { words: ['job'], kind: 'Job', path: '/apis/batch/v1/namespaces/NS/jobs', label: 'job.batch' },
  { words: ['bundle', 'bundles'], kind: 'Bundle', path: `${rukpak}/bundles`, label: 'bundle.core.rukpak.io' },
  {
    words: ['bd', 'bundledeployment'],
    kind: 'BundleDeployment',
    path: `${rukpak}/bundledeployments`,
    label: 'bundledeployment.core.rukpak.io',
  },
  {
    words: ['configmap', 'configmaps'],
    kind: 'ConfigMap',
    path: '/api/v1/namespaces/NS/configmaps',
    label: 'configmap',
  },
  { words: ['namespace'], kind: 'Namespace', path: '/api/v1/namespaces', label: 'namespace' },
  {
    words: ['deployment', 'deployments'],
    kind: 'Deployment',
    path: '/apis/apps/v1/namespaces/NS/deployments',
    label: 'deployment.apps',
  },
  {
    words: ['combinations'],
    kind: 'Combination',
    path: '/apis/combo.example.com/v1/namespaces/NS/combinations',
    label: 'combination.combo.example.com',
  },
  {
    words: ['crd'],
    kind: 'CustomResourceDefinition',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    label: 'customresourcedefinition.apiextensions.k8s.io',
  },
  {
    words: ['catsrc', 'catalogsource'],
    kind: 'CatalogSource',
    path: `${operators}/catalogsources`,
    label: 'catalogsource.operators.coreos.com',
  },
  {
    words: ['sub', 'subscription'],
    kind: 'Subscription',
    path: `${operators}/subscriptions`,
    label: 'subscription.operators.coreos.com',
  },
  {
    words: ['csv', 'clusterserviceversion'],
    kind: 'ClusterServiceVersion',
    path: `${operators}/clusterserviceversions`,
    label: 'clusterserviceversion.operators.coreos.com',
  },
  {
    words: ['installplan', 'ip'],
    kind: 'InstallPlan',
    path: `${operators}/installplans`,
    label: 'installplan.operators.coreos.com',
  },
  {
    words: ['og', 'operatorgroup'],
    kind: 'OperatorGroup',
    path: '/apis/operators.coreos.com/v1/namespaces/NS/operatorgroups',
    label: 'operatorgroup.operators.coreos.com',
  },
  {
    words: ['packagemanifests'],
    kind: 'PackageManifest',
    path: '/apis/packages.operators.coreos.com/v1/namespaces/NS/packagemanifests',
    label: 'packagemanifest.packages.operators.coreos.com',
  },
  {
    words: ['clusterversion'],
    kind: 'ClusterVersion',
    path: '/apis/config.openshift.io/v1/clusterversions',
    label: 'clusterversion.config.openshift.io',
  },
  {
    words: ['clusteroperator', 'clusteroperators'],
    kind: 'ClusterOperator',
    path: '/apis/config.openshift.io/v1/clusteroperators',
    label: 'clusteroperator.config.openshift.io',
  },
];

function known(found: StoryResource | undefined, word: string): StoryResource {
  if (found !== undefined) return found;
  throw new TerminalError('UnknownResource', `the demo knows no resource "${word}"`);
}

/** @throws TerminalError UnknownResource */
export function resourceOf(word: string): StoryResource {
  return known(
    resources.find(({ words }) => words.includes(word)),
    word,
  );
}

/** @throws TerminalError UnknownResource */
export function resourceOfKind(kind: string): StoryResource {
  return known(
    resources.find((one) => one.kind === kind),
    kind,
  );
}
