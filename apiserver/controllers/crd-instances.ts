import type { Clock } from '../../src/base/index.ts';
import type { Cluster, KubeObject } from '../core/index.ts';
import { cleanupFinalizer, type EndStage, isAtEndStage, setEndStage } from '../registry/crd/index.ts';
import { type Controller, ignoreNotFound, isHeldBy, objectsIn, specOf, statusOf, typeOf } from './controller.ts';

const as = 'system:apiserver';
const group = 'apiextensions.k8s.io';

function textIn(value: unknown, key: string): string {
  const text = ((value ?? {}) as Readonly<Record<string, unknown>>)[key];
  return typeof text === 'string' ? text : '';
}

function isEstablished(definition: KubeObject): boolean {
  const conditions = objectsIn(statusOf(definition)['conditions']);
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
}

/** A CustomResourceDefinition that is being deleted goes after the last of its objects, which are deleted first. Its condition Terminating reports
 *  how far that has come. */
export function crdInstances(cluster: Cluster, clock: Clock): Controller {
  const terminating = new Set<string>();
  const deleteInstances = async (definition: KubeObject): Promise<number> => {
    const spec = specOf(definition);
    const type = cluster.resource(textIn(spec, 'group'), textIn(spec.names, 'plural'));
    // Objects of a built-in type are not its own, whatever its status is.
    if (type === undefined || !type.isCustom) return 0;
    for await (const { metadata } of cluster.eachInTurns(type)) {
      if (metadata.deletionTimestamp !== undefined) continue;
      const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
      await ignoreNotFound(cluster.delete(type, key, { as }));
    }
    return cluster.count(type);
  };
  const reach = async (definition: KubeObject, stage: EndStage, isLast: boolean): Promise<KubeObject> => {
    const next = structuredClone(definition);
    setEndStage(next, stage, clock.now());
    if (isLast) next.metadata.finalizers = next.metadata.finalizers?.filter((name) => name !== cleanupFinalizer) ?? [];
    const type = typeOf(cluster, 'customresourcedefinitions', group);
    return await cluster.update(type, next, { as, subresource: 'status' });
  };
  return {
    name: 'crd-instances',
    keysOf: ({ type, resource, object }) => {
      const isDefinition = resource.storageKey === `customresourcedefinitions.${group}`;
      const name = isDefinition ? (object.metadata.name ?? '') : `${resource.plural}.${resource.group}`;
      if (isDefinition) {
        const isBeingDeleted = type !== 'DELETED' && object.metadata.deletionTimestamp !== undefined;
        if (isBeingDeleted) terminating.add(name);
        else terminating.delete(name);
      }
      return terminating.has(name) ? [name] : [];
    },
    work: async (name) => {
      const type = typeOf(cluster, 'customresourcedefinitions', group);
      const found = cluster.get(type, { namespace: '', name });
      if (!isHeldBy(found, cleanupFinalizer)) return;
      const isBegun = isAtEndStage(found, 'InstanceDeletionInProgress');
      const definition = isBegun ? found : await reach(found, 'InstanceDeletionInProgress', false);
      if (!isEstablished(definition)) await reach(definition, 'NeverEstablished', true);
      else if ((await deleteInstances(definition)) === 0) await reach(definition, 'InstanceDeletionCompleted', true);
    },
  };
}
