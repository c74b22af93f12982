import {
  type CatalogSource,
  type ClusterServiceVersion,
  catalogSourceResource,
  clusterServiceVersionResource,
  type Subscription,
  subscriptionResource,
} from '../../../src/api/index.ts';
import { isNotFound, type KubeClient, type ObjectRef } from '../../../src/kube/index.ts';
import { openKube } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { confirm } from '../../output/index.ts';
import { deleteObject, findSubscription, listCatalogSources, operatorOf } from '../objects.ts';
import type { uninstallOperatorOptions } from '../options.ts';
import { isRunCatalog } from '../run/objects.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof uninstallOperatorOptions> & {
  readonly namespace: string;
  readonly yes: boolean;
};

interface Removal {
  readonly ref: ObjectRef;
  readonly uid: string | undefined;
}

async function definitionsOf(kube: KubeClient, csv: ClusterServiceVersion | undefined): Promise<readonly Removal[]> {
  const owned = csv?.spec.customresourcedefinitions?.owned ?? [];
  const names = [...new Set(owned.map(({ name }) => name))];
  const found: Removal[] = [];
  for (const name of names) {
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
    try {
      found.push({ ref, uid: (await kube.get(ref)).metadata.uid });
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }
  return found;
}

function removalOf(
  resource: { readonly apiVersion: string; readonly kind: string },
  { metadata }: Subscription | ClusterServiceVersion | CatalogSource,
): Removal {
  const { apiVersion, kind } = resource;
  const { namespace = '', name, uid } = metadata;
  return { ref: { apiVersion, kind, namespace, name }, uid };
}

/** The catalog that was made for the operator alone. */
async function findRunSource(kube: KubeClient, { spec }: Subscription): Promise<CatalogSource | undefined> {
  const all = await listCatalogSources(kube);
  const found = all.find(
    ({ metadata }) => metadata.name === spec.source && metadata.namespace === spec.sourceNamespace,
  );
  return found !== undefined && isRunCatalog(found) ? found : undefined;
}

function shown({ ref }: Removal): string {
  return `${ref.kind} ${ref.namespace === undefined ? '' : `${ref.namespace}/`}${ref.name}`;
}

/** `longshore operator uninstall`: the Subscription first, so that nothing is installed again. */
export async function uninstall(values: Values, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  const { subscription, csv } = await operatorOf(kube, await findSubscription(kube, values.namespace, name));
  const isWithDefinitions = values['delete-crds'];
  const definitions = isWithDefinitions ? await definitionsOf(kube, csv) : [];
  const runSource = await findRunSource(kube, subscription);
  const removals = [
    removalOf(subscriptionResource, subscription),
    ...(runSource === undefined ? [] : [removalOf(catalogSourceResource, runSource)]),
    ...(csv === undefined ? [] : [removalOf(clusterServiceVersionResource, csv)]),
    ...definitions,
  ];
  const warning = isWithDefinitions ? 'All custom resources of these definitions are deleted with them.\n' : '';
  const list = removals.map((removal) => `  ${shown(removal)}\n`).join('');
  if (!values.yes) {
    const unasked = `uninstall would delete ${removals.length} objects, and there is no terminal to ask on: confirm with --yes. Nothing was changed`;
    await confirm({ about: `This deletes:\n${list}${warning}`, text: 'Delete them?', unasked });
  }
  for (const removal of removals) {
    if (await deleteObject(kube, removal.ref, removal.uid)) process.stdout.write(`${shown(removal)} deleted\n`);
  }
  return 0;
}
