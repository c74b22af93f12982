import { type ClusterServiceVersion, clusterServiceVersionResource } from '../../src/api/index.ts';
import { findObject, isForbidden, type KubeClient, type KubeObject } from '../../src/kube/index.ts';
import { versionsAlongside } from '../../src/operators/index.ts';

/** The definitions that versions of an operator own. */
export interface OwnedDefinitions {
  /** Those that were installed for these versions alone. */
  readonly own: readonly KubeObject[];
  /** Why each of the others stays. */
  readonly kept: readonly string[];
}

const placeOf = ({ metadata }: ClusterServiceVersion): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** Whether a ClusterServiceVersion exists; one that the user may not read counts. */
async function exists(kube: KubeClient, place: string): Promise<boolean> {
  const [namespace = '', name = ''] = place.split('/', 2);
  const { apiVersion, kind } = clusterServiceVersionResource;
  try {
    return (await findObject(kube, { apiVersion, kind, namespace, name })) !== undefined;
  } catch (thrown) {
    if (isForbidden(thrown)) return true;
    throw thrown;
  }
}

/** Why a definition is not deleted with the versions; undefined where it is. */
async function reasonToKeep(
  kube: KubeClient,
  definition: KubeObject,
  places: ReadonlySet<string>,
): Promise<string | undefined> {
  const [owner] = definition.metadata.ownerReferences ?? [];
  if (owner !== undefined) return `it belongs to ${owner.kind} "${owner.name}"`;
  const owners = versionsAlongside(definition);
  if (!owners.some((one) => places.has(one))) return 'it was not installed for this operator';
  for (const other of owners.filter((one) => !places.has(one))) {
    if (await exists(kube, other)) return `it was also installed for ClusterServiceVersion ${other}`;
  }
  return undefined;
}

/** The definitions that the versions own. Their lists are those of users, who may name any definition there: what counts is for whom plans have installed
 *  it, which only those who may write the definition can change. */
export async function ownedDefinitions(
  kube: KubeClient,
  versions: readonly ClusterServiceVersion[],
): Promise<OwnedDefinitions> {
  const places = new Set(versions.map(placeOf));
  const owned = versions.flatMap(({ spec }) => spec.customresourcedefinitions?.owned ?? []);
  const own: KubeObject[] = [];
  const kept: string[] = [];
  for (const name of new Set(owned.map((one) => one.name))) {
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
    const definition = await findObject(kube, ref);
    if (definition === undefined) continue;
    const reason = await reasonToKeep(kube, definition, places);
    if (reason === undefined) own.push({ ...definition, ...ref });
    else kept.push(`CustomResourceDefinition ${name} stays: ${reason}`);
  }
  return { own, kept };
}
