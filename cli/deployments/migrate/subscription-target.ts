import {
  bundleDeploymentResource,
  type ClusterServiceVersion,
  clusterExtensionResource,
  clusterServiceVersionResource,
  operatorGroupResource,
  parseBundleDeployment,
  parseClusterServiceVersion,
  parseOperatorGroup,
  parseSubscription,
  platformOperatorResource,
  subscriptionResource,
} from '../../../src/api/index.ts';
import { type JsonObject, objectAt, textAt } from '../../../src/base/index.ts';
import { type BundleObjects, readStagedBundle } from '../../../src/formats/index.ts';
import { findObject, type KubeClient, type KubeObject } from '../../../src/kube/index.ts';
import { unsupportedTargets } from '../../../src/operators/index.ts';
import { type AvailablePackage, listPackages } from '../../client/index.ts';
import { type Finding, findDesired, stageOwn } from '../diff/desired.ts';
import {} from './context.ts';
import { installedOf, namespaceOf, refuse } from './extension.ts';
import { continuedBy, continuesAnnotation } from './returned.ts';

/** The Subscription that a BundleDeployment becomes. */
export interface SubscriptionTarget {
  readonly deployment: KubeObject;
  readonly packageName: string;
  readonly namespace: string;
  readonly bundle: { readonly name: string; readonly version: string; readonly image: string };
  /** What the bundle contains. */
  readonly content: BundleObjects;
  readonly csv: ClusterServiceVersion;
  readonly catalog: { readonly namespace: string; readonly name: string };
  /** An empty text stands for all. */
  readonly targets: readonly string[];
  /** The ServiceAccount that it is installed with; empty for none. */
  readonly account: string;
  readonly group: { readonly name: string; readonly object: KubeObject | undefined };
  readonly subscription: KubeObject;
}

interface Request {
  readonly packageName: string;
  /** `NAME` or `NAMESPACE/NAME` of a CatalogSource; undefined: the only one that has the bundle. */
  readonly catalog: string | undefined;
}

/** The namespaces that the operator watches, as its BundleDeployment has them rendered. */
async function targetsOf(finding: Finding): Promise<readonly string[]> {
  const { objects } = await findDesired({ ...finding, requested: {} });
  const rendered = objects.find(({ kind }) => kind === 'Deployment') as JsonObject | undefined;
  const annotations = objectAt(rendered, 'spec', 'template', 'metadata', 'annotations');
  if (annotations === undefined) return refuse(finding.deployment, 'its bundle has no Deployment');
  return textAt(annotations, 'olm.targetNamespaces').split(',');
}

async function contentOf(finding: Finding): Promise<BundleObjects> {
  const bundleClass = parseBundleDeployment(finding.deployment).spec.template.spec.provisionerClassName;
  if (bundleClass !== 'core-rukpak-io-registry') return refuse(finding.deployment, 'its bundle is not an operator');
  await using staging = await stageOwn(finding);
  return await readStagedBundle(undefined, staging);
}

/** The command that removes an operator with what has installed it. */
function removalOf({ metadata }: KubeObject): string {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind !== bundleDeploymentResource.kind);
  if (owner?.kind === clusterExtensionResource.kind) return `longshore delete clusterextension/${owner.name}`;
  if (owner?.kind === platformOperatorResource.kind) return `kubectl delete platformoperator ${owner.name}`;
  return `longshore delete ${metadata.name}`;
}

/** Operator Lifecycle Manager takes the Service and the Secret of a certificate only from a ClusterServiceVersion that owns them, by its uid, and issues
 *  a certificate of its own: the API server would refuse all requests for review until the Pods have that. */
function assertNotServing(deployment: KubeObject, csv: ClusterServiceVersion, request: Request): void {
  const { webhookdefinitions = [], apiservicedefinitions } = csv.spec;
  const what = webhookdefinitions.length > 0 ? 'webhooks' : 'an API server';
  if (webhookdefinitions.length === 0 && (apiservicedefinitions?.owned ?? []).length === 0) return;
  const way = `where it may be without ${what} for a while, remove it (${removalOf(deployment)}; custom resources and their definitions stay) and install it (longshore operator install ${request.packageName})`;
  refuse(deployment, `its operator serves ${what}, which would fail while their certificate is replaced: ${way}`);
}

interface Place {
  readonly account: string;
  readonly deploymentConfig: JsonObject | undefined;
}

function placeOf(deployment: KubeObject, namespace: string): Place {
  const config = (parseBundleDeployment(deployment).spec.config ?? {}) as JsonObject;
  const known = ['installNamespace', 'serviceAccount', 'watchNamespace', 'watchNamespaces', 'deploymentConfig'];
  const other = Object.keys(config).find((key) => !known.includes(key));
  if (other !== undefined) return refuse(deployment, `a Subscription has no field for spec.config.${other}`);
  const account = objectAt(config, 'serviceAccount');
  if (account !== undefined && textAt(account, 'namespace') !== namespace) {
    return refuse(deployment, `its service account is not in namespace "${namespace}"`);
  }
  return { account: textAt(account, 'name'), deploymentConfig: objectAt(config, 'deploymentConfig') };
}

const isFrom = ({ catalog }: AvailablePackage, text: string | undefined): boolean =>
  text === undefined || text === catalog.name || text === `${catalog.namespace}/${catalog.name}`;

interface Choice {
  readonly catalog: SubscriptionTarget['catalog'];
  readonly channel: string;
}

/** The CatalogSource and the channel that have the bundle. */
async function choiceFor(
  kube: KubeClient,
  deployment: KubeObject,
  place: { readonly namespace: string; readonly bundleName: string; readonly request: Request },
): Promise<Choice> {
  const { namespace, bundleName, request } = place;
  const all = (await listPackages(kube, namespace)).filter(({ name }) => name === request.packageName);
  const found = all.flatMap((one): Choice[] => {
    const channels = one.channels.filter(({ entries }) => entries.some(({ name }) => name === bundleName));
    const channel = channels.find(({ name }) => name === one.defaultChannel) ?? channels[0];
    return channel === undefined || !isFrom(one, request.catalog)
      ? []
      : [{ catalog: one.catalog, channel: channel.name }];
  });
  const [only, ...others] = found;
  if (only === undefined) {
    const named = request.catalog === undefined ? '' : ` "${request.catalog}"`;
    const from = all.map(({ catalog }) => `${catalog.namespace}/${catalog.name}`).join(', ');
    const seen = all.length === 0 ? 'none has the package' : `the package is in ${from}`;
    return refuse(
      deployment,
      `no CatalogSource${named} that is visible in namespace "${namespace}" has bundle "${bundleName}" in a channel (${seen}): add one (longshore operator catalog add), or name another with --catalog`,
    );
  }
  if (others.length === 0) return only;
  const names = found.map(({ catalog }) => `${catalog.namespace}/${catalog.name}`).join(', ');
  return refuse(
    deployment,
    `bundle "${bundleName}" is in several CatalogSources (${names}): choose one with --catalog`,
  );
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one));
}

const shown = (targets: readonly string[]): string =>
  targets[0] === '' ? 'all namespaces' : `namespaces ${targets.join(', ')}`;

type Watching = Pick<SubscriptionTarget, 'namespace' | 'packageName' | 'targets' | 'account'>;

function newGroup({ namespace, packageName, targets, account }: Watching): SubscriptionTarget['group'] {
  const { apiVersion, kind } = operatorGroupResource;
  const spec = {
    ...(targets[0] !== '' && { targetNamespaces: [...targets] }),
    ...(account !== '' && { serviceAccountName: account }),
  };
  return { name: packageName, object: { apiVersion, kind, metadata: { name: packageName, namespace }, spec } };
}

const namedAccount = (name: string): string => (name === '' ? 'no service account' : `service account "${name}"`);

/** The OperatorGroup of the namespace: an operator never gets more namespaces or permissions by a migration. */
async function groupFor(
  kube: KubeClient,
  deployment: KubeObject,
  watching: Watching,
): Promise<SubscriptionTarget['group']> {
  const { namespace, targets, account } = watching;
  const { items } = await kube.list({ ...operatorGroupResource, namespace });
  const [existing, ...others] = items.map((item) => parseOperatorGroup(item));
  if (others.length > 0) return refuse(deployment, `namespace "${namespace}" has ${items.length} OperatorGroups`);
  if (existing === undefined) return newGroup(watching);
  const {
    metadata: { name },
    spec,
    status,
  } = existing;
  const found = status?.namespaces ?? [];
  const what = `OperatorGroup ${namespace}/${name}`;
  if (!isSame(found, targets)) {
    return refuse(deployment, `${what} targets ${shown(found)}, and the operator watches ${shown(targets)}`);
  }
  const own = spec?.serviceAccountName ?? '';
  if (own === account) return { name, object: undefined };
  return refuse(deployment, `${what} names ${namedAccount(own)}, and it is installed with ${namedAccount(account)}`);
}

/** Nothing of another installation is taken over. */
async function assertFree(
  kube: KubeClient,
  {
    deployment,
    namespace,
    packageName,
    content,
  }: Pick<SubscriptionTarget, 'deployment' | 'namespace' | 'packageName' | 'content'>,
): Promise<void> {
  const { items } = await kube.list({ ...subscriptionResource, namespace });
  const taken = items.map((item) => parseSubscription(item)).find(({ spec }) => spec.name === packageName);
  const own = continuedBy({ ...subscriptionResource, metadata: taken?.metadata ?? {} } as KubeObject);
  if (taken !== undefined && own?.uid !== deployment.metadata.uid)
    refuse(deployment, `Subscription ${namespace}/${taken.metadata.name} has the package already`);
  const { apiVersion, kind } = clusterServiceVersionResource;
  const version = await findObject(kube, { apiVersion, kind, namespace, name: content.name });
  if (version !== undefined) refuse(deployment, `ClusterServiceVersion ${namespace}/${content.name} exists already`);
}

/** What a BundleDeployment becomes, if the catalogs, the OperatorGroup and the bundle allow it. Changes nothing.
 *  @throws TerminalError NotMigrated, OlmMissing, NoContent */
export async function subscriptionTarget(finding: Finding, request: Request): Promise<SubscriptionTarget> {
  const {
    deployment,
    client: { kube },
  } = finding;
  const { packageName } = request;
  const { image, version } = installedOf(deployment);
  const namespace = namespaceOf(deployment, (parseBundleDeployment(deployment).spec.config ?? {}) as JsonObject);
  const { account, deploymentConfig } = placeOf(deployment, namespace);
  const content = await contentOf(finding);
  const csv = parseClusterServiceVersion({ ...content.csv, ...clusterServiceVersionResource });
  assertNotServing(deployment, csv, request);
  await assertFree(kube, { deployment, namespace, packageName, content });
  const { catalog, channel } = await choiceFor(kube, deployment, { namespace, bundleName: content.name, request });
  const targets = await targetsOf(finding);
  const problem = unsupportedTargets(csv, namespace, targets);
  if (problem !== undefined) return refuse(deployment, problem);
  const group = await groupFor(kube, deployment, { namespace, packageName, targets, account });
  const { name = '', uid = '' } = deployment.metadata;
  const subscription: KubeObject = {
    apiVersion: subscriptionResource.apiVersion,
    kind: subscriptionResource.kind,
    metadata: { name: packageName, namespace, annotations: { [continuesAnnotation]: JSON.stringify({ name, uid }) } },
    spec: {
      name: packageName,
      source: catalog.name,
      sourceNamespace: catalog.namespace,
      channel,
      startingCSV: content.name,
      installPlanApproval: 'Manual',
      ...(deploymentConfig !== undefined && { config: deploymentConfig }),
    },
  };
  const bundle = { name: content.name, version, image };
  return { deployment, packageName, namespace, bundle, content, csv, catalog, targets, account, group, subscription };
}
