import {
  type CatalogSource,
  type ClusterServiceVersion,
  catalogSourceResource,
  clusterServiceVersionResource,
  type Subscription,
  subscriptionResource,
} from '../../../src/api/index.ts';
import { TerminalError } from '../../../src/base/index.ts';
import { type KubeClient, type ObjectRef, refOf } from '../../../src/kube/index.ts';
import { openKube } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { confirm } from '../../output/index.ts';
import { ownedDefinitions } from '../definitions.ts';
import { deleteObject, findSubscription, listCatalogSources, operatorOf, versionsOf } from '../objects.ts';
import type { uninstallOperatorOptions } from '../options.ts';
import { isRunCatalog, runCatalogName } from '../run/objects.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof uninstallOperatorOptions> & {
  readonly namespace: string;
  readonly yes: boolean;
};

interface Removal {
  readonly ref: ObjectRef;
  readonly uid: string | undefined;
}

function removalOf(
  resource: { readonly apiVersion: string; readonly kind: string },
  { metadata }: Subscription | ClusterServiceVersion | CatalogSource,
): Removal {
  const { apiVersion, kind } = resource;
  const { namespace = '', name, uid } = metadata;
  return { ref: { apiVersion, kind, namespace, name }, uid };
}

interface Installed {
  /** Undefined where an interrupted removal has deleted it, which begins with it. */
  readonly subscription: Subscription | undefined;
  /** More than one while the operator is upgraded. */
  readonly versions: readonly ClusterServiceVersion[];
  /** The catalog that was made for the operator alone. */
  readonly runSource: CatalogSource | undefined;
}

/** All versions of a package, and that which the Subscription names. */
async function findVersions(
  kube: KubeClient,
  { namespace, packageName }: { readonly namespace: string; readonly packageName: string },
  subscription: Subscription | undefined,
): Promise<readonly ClusterServiceVersion[]> {
  const labelled = await versionsOf(kube, namespace, packageName);
  const { csv } = subscription === undefined ? {} : await operatorOf(kube, subscription);
  const isKnown = labelled.some(({ metadata }) => metadata.uid === csv?.metadata.uid);
  return csv === undefined || isKnown ? labelled : [csv, ...labelled];
}

/** A run makes its catalog beside the Subscription: one of another namespace is that of others. */
async function findRunSource(kube: KubeClient, namespace: string, name: string): Promise<CatalogSource | undefined> {
  const sources = await listCatalogSources(kube);
  return sources.find((one) => one.metadata.name === name && one.metadata.namespace === namespace && isRunCatalog(one));
}

async function findInstalled(kube: KubeClient, namespace: string, name: string): Promise<Installed> {
  const found = await lookUp(kube, namespace, name);
  const subscription = 'metadata' in found ? found : undefined;
  const packageName = subscription?.spec.name ?? name;
  const versions = await findVersions(kube, { namespace, packageName }, subscription);
  const runSource = await findRunSource(kube, namespace, subscription?.spec.source ?? runCatalogName(packageName));
  if (!('metadata' in found) && versions.length === 0 && runSource === undefined) throw found.missing;
  return { subscription, versions, runSource };
}

/** The Subscription, or why there is none. */
async function lookUp(
  kube: KubeClient,
  namespace: string,
  name: string,
): Promise<Subscription | { readonly missing: TerminalError }> {
  try {
    return await findSubscription(kube, namespace, name);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== 'OperatorNotFound') throw thrown;
    return { missing: thrown };
  }
}

function shown({ ref }: Removal): string {
  return `${ref.kind} ${ref.namespace === undefined ? '' : `${ref.namespace}/`}${ref.name}`;
}

/** `longshore operator uninstall`: the Subscription first, so that nothing is installed again. */
export async function uninstall(values: Values, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  const { subscription, versions, runSource } = await findInstalled(kube, values.namespace, name);
  const isWithDefinitions = values['delete-crds'];
  const { own, kept } = isWithDefinitions ? await ownedDefinitions(kube, versions) : { own: [], kept: [] };
  const removals = [
    ...(subscription === undefined ? [] : [removalOf(subscriptionResource, subscription)]),
    ...(runSource === undefined ? [] : [removalOf(catalogSourceResource, runSource)]),
    ...versions.map((csv) => removalOf(clusterServiceVersionResource, csv)),
    ...own.map((object) => ({ ref: refOf(object), uid: object.metadata.uid })),
  ];
  const warning = isWithDefinitions ? 'All custom resources of these definitions are deleted with them.\n' : '';
  const list = removals.map((removal) => `  ${shown(removal)}\n`).join('');
  for (const text of kept) process.stderr.write(`${text}\n`);
  if (!values.yes) {
    const unasked = `uninstall would delete ${removals.length} objects, and there is no terminal to ask on: confirm with --yes. Nothing was changed`;
    await confirm({ about: `This deletes:\n${list}${warning}`, text: 'Delete them?', unasked });
  }
  for (const removal of removals) {
    if (await deleteObject(kube, removal.ref, removal.uid)) process.stdout.write(`${shown(removal)} deleted\n`);
  }
  return 0;
}
