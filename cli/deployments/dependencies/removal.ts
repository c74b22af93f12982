import {
  bundleDeploymentResource,
  type ClusterServiceVersion,
  clusterServiceVersionResource,
  deleteCrdsAnnotation,
  orphanAnnotation,
  ownerKindLabel,
  ownerNameLabel,
} from '../../../src/api/index.ts';
import { isRetained } from '../../../src/apply/index.ts';
import { errorMessage, type JsonObject, mapLimit, objectAt, objectsAt, textAt } from '../../../src/base/index.ts';
import { isForbidden, isNotFound, type KubeObject, NoKindMatch } from '../../../src/kube/index.ts';
import type { Reading, Standing } from './standing.ts';

/** What becomes of a definition and its objects when the bundle that has it is removed. */
export interface DefinitionFate {
  readonly name: string;
  readonly kind: string;
  /** Of its objects, those that the bundle does not contain. */
  readonly objects: number;
  /** There are more objects than were counted. */
  readonly isMore: boolean;
  /** `kept`: it stays, with its objects. `deleted`: with all of them. `unattended`: it stays, and the operator that acts on its objects goes. */
  readonly fate: 'kept' | 'deleted' | 'unattended';
}

const crdTarget = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const maxDefinitions = 200;
const maxObjects = 2_000;
const readsAtATime = 6;

function storedVersionOf(crd: KubeObject): string {
  const versions = objectsAt(objectAt(crd as unknown as JsonObject, 'spec'), 'versions');
  const served = versions.filter((version) => version['served'] !== false);
  return textAt(served.find((version) => version['storage'] === true) ?? served[0], 'name');
}

/** Counts objects that the deployment `owner` did not install. */
async function countObjects(
  { kube, signal, onUnreadable }: Reading,
  crd: KubeObject,
  owner: string,
): Promise<Pick<DefinitionFate, 'objects' | 'isMore'>> {
  const spec = objectAt(crd as unknown as JsonObject, 'spec');
  const kind = textAt(objectAt(spec, 'names'), 'kind');
  const apiVersion = `${textAt(spec, 'group')}/${storedVersionOf(crd)}`;
  let objects = 0;
  try {
    for await (const { items } of kube.listPages({ apiVersion, kind, isMetadataOnly: true }, { signal })) {
      objects += items.filter(({ metadata }) => owner === '' || metadata.labels?.[ownerNameLabel] !== owner).length;
      if (objects > maxObjects) return { objects: maxObjects, isMore: true };
    }
  } catch (thrown) {
    if (!(thrown instanceof NoKindMatch) && !isForbidden(thrown)) throw thrown;
    if (isForbidden(thrown)) onUnreadable(errorMessage(thrown));
  }
  return { objects, isMore: false };
}

function fateOf(object: KubeObject, crd: KubeObject, objects: number): DefinitionFate['fate'] {
  if (object.kind === clusterServiceVersionResource.kind) return 'unattended';
  const { annotations = {} } = object.metadata;
  if (annotations[orphanAnnotation] === 'true' || isRetained(crd.metadata)) return 'kept';
  return objects > 0 && annotations[deleteCrdsAnnotation] !== 'true' ? 'kept' : 'deleted';
}

/** Definitions that a BundleDeployment installed, or that a ClusterServiceVersion owns. */
async function definitionsOf({ kube, signal }: Reading, object: KubeObject): Promise<readonly KubeObject[]> {
  if (object.kind === bundleDeploymentResource.kind) {
    const labelSelector = `${ownerKindLabel}=${object.kind},${ownerNameLabel}=${object.metadata.name ?? ''}`;
    return (await kube.list({ ...crdTarget, labelSelector }, { signal })).items.slice(0, maxDefinitions);
  }
  const { customresourcedefinitions } = (object as unknown as ClusterServiceVersion).spec;
  const names = [...new Set((customresourcedefinitions?.owned ?? []).map(({ name }) => name))];
  const found = await mapLimit(names.slice(0, maxDefinitions), readsAtATime, async (name) => {
    try {
      return [await kube.get({ ...crdTarget, name }, { signal })];
    } catch (thrown) {
      if (isNotFound(thrown)) return [];
      throw thrown;
    }
  });
  return found.flat();
}

/** What becomes of the definitions of an installed bundle when it is removed. */
export async function readFates(
  reading: Reading,
  { kind, namespace, name }: Standing,
): Promise<readonly DefinitionFate[]> {
  const known = [bundleDeploymentResource, clusterServiceVersionResource].find((one) => one.kind === kind);
  if (known === undefined) return [];
  const { kube, signal, onUnreadable } = reading;
  const place = namespace === '' ? {} : { namespace };
  try {
    const object = await kube.get({ apiVersion: known.apiVersion, kind, ...place, name }, { signal });
    const crds = await definitionsOf(reading, { ...object, kind });
    return await mapLimit(crds, readsAtATime, async (crd): Promise<DefinitionFate> => {
      const counted = await countObjects(reading, crd, kind === bundleDeploymentResource.kind ? name : '');
      const names = objectAt(crd as unknown as JsonObject, 'spec', 'names');
      const fate = fateOf({ ...object, kind }, crd, counted.objects);
      return { name: crd.metadata.name ?? '', kind: textAt(names, 'kind'), ...counted, fate };
    });
  } catch (thrown) {
    if (!isForbidden(thrown) && !isNotFound(thrown)) throw thrown;
    onUnreadable(errorMessage(thrown));
    return [];
  }
}
