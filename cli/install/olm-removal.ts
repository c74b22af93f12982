import { csvCleanupFinalizer } from '../../src/api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import { groupOf, hasFinalizer, isNotFound, type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';
import { readDeployFile, readOlmCrds } from '../client/index.ts';
import { type DeletionOptions, deleteAll, deleteOne, listIfServed, namesOf } from './deletion.ts';
import { isLabeledOurs, isOurs } from './installed.ts';
import { shownName } from './manifests.ts';
import { othersIn } from './others-in.ts';

interface OlmKind {
  readonly crd: KubeObject;
  readonly apiVersion: string;
  readonly kind: string;
}

const olmGroup = 'operators.coreos.com';
/** What would create others is deleted before them, and groups last: operators are removed in them. */
const order = [
  'Subscription',
  'ClusterServiceVersion',
  'InstallPlan',
  'CatalogSource',
  'OperatorCondition',
  'Operator',
];

function rank({ kind }: OlmKind): number {
  const index = order.indexOf(kind);
  return index < 0 ? order.length : index;
}

function kindOf(crd: KubeObject): OlmKind {
  const spec = objectAt(crd as JsonObject, 'spec');
  const stored = objectsAt(spec, 'versions').find((version) => version['storage'] === true);
  const kind = textAt(objectAt(spec, 'names'), 'kind');
  return { crd, apiVersion: `${textAt(spec, 'group')}/${textAt(stored, 'name')}`, kind };
}

/** Those of the cluster that an installation has brought. */
async function olmKinds(kube: KubeClient): Promise<readonly OlmKind[]> {
  const found: OlmKind[] = [];
  for (const crd of (await readOlmCrds()) as unknown as KubeObject[]) {
    try {
      const live = await kube.get(refOf(crd));
      if (isOurs(live)) found.push(kindOf(live));
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }
  return found.toSorted((a, b) => rank(a) - rank(b));
}

/** Deletes operators and catalogs while the controllers run, which delete what operators run on the cluster. */
export async function removeOperators(options: DeletionOptions): Promise<void> {
  for (const { apiVersion, kind } of await olmKinds(options.kube)) await deleteAll({ apiVersion, kind }, options);
}

/** What becomes of ClusterServiceVersions that nothing cleans up after any more, and of their namespaces, when they are deleted. */
function finalizerNote(objects: readonly KubeObject[]): string {
  if (!objects.some((object) => hasFinalizer(object, csvCleanupFinalizer))) return '';
  return `; their finalizer ${csvCleanupFinalizer} holds their deletion, and that of their namespaces, until Operator Lifecycle Manager runs again`;
}

/** Lines about kinds that stay, by the name of their definition. */
async function retainedKinds(
  kinds: readonly OlmKind[],
  { kube }: DeletionOptions,
): Promise<ReadonlyMap<string, string>> {
  const retained = new Map<string, string>();
  for (const { crd, apiVersion, kind } of kinds) {
    const objects = await listIfServed(kube, { apiVersion, kind });
    const others = objects.filter((object) => !isLabeledOurs(object));
    if (others.length === 0) continue;
    retained.set(crd.metadata.name ?? '', `${shownName(crd)} stays, with ${namesOf(others)}${finalizerNote(others)}`);
  }
  return retained;
}

/** A line about each of the namespaces that stays. */
async function removeNamespaces(
  namespaces: readonly KubeObject[],
  options: DeletionOptions,
): Promise<readonly string[]> {
  const retained: string[] = [];
  for (const namespace of namespaces) {
    const others = await othersIn(options.kube, namespace.metadata.name ?? '');
    if (others.length === 0) await deleteOne(namespace, options, { isOursOnly: true });
    else retained.push(`${shownName(namespace)} stays: there are also ${others.join(', ')}`);
  }
  return retained;
}

/** Removes the roles, groups, kinds and namespaces that were installed for Operator Lifecycle Manager. A kind stays while it has objects, and with it the
 *  groups, and a namespace while it has objects of others; the result names them. With `isEmptied` there are none, as far as a dry run can know. */
export async function removeOlm(options: DeletionOptions, isEmptied: boolean): Promise<readonly string[]> {
  const kinds = await olmKinds(options.kube);
  if (kinds.length === 0) return [];
  const retained = isEmptied ? new Map<string, string>() : await retainedKinds(kinds, options);
  const shipped = ((await readDeployFile('olm/objects.yaml')) as unknown as KubeObject[]).toReversed();
  const ofOlm = shipped.filter(({ apiVersion }) => groupOf(apiVersion) === olmGroup);
  const needed = retained.size === 0 ? [] : ofOlm;
  const neededKinds = new Set(needed.map(({ kind }) => kind));
  const namespaces = shipped.filter(({ kind }) => kind === 'Namespace');
  const objects = shipped.filter((object) => !namespaces.includes(object) && !needed.includes(object));
  const crds = kinds.filter(({ crd, kind }) => !retained.has(crd.metadata.name ?? '') && !neededKinds.has(kind));
  for (const object of [...objects, ...crds.map(({ crd }) => crd)]) {
    await deleteOne(object, options, { isOursOnly: true });
  }
  return retained.size === 0 ? await removeNamespaces(namespaces, options) : [...retained.values()];
}
