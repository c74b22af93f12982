import { clusterServiceVersionResource, olmLabels, operatorResource, subscriptionResource } from '../../api/index.ts';
import { type Clock, type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import type { Manager } from '../../controller/index.ts';
import { type CacheIndex, indexCache, type KindCache, type KubeClient, type KubeObject } from '../../kube/index.ts';
import { operatorsOf, originalVersions } from '../../operators/index.ts';
import { definitionSummaries } from '../definition-summaries.ts';
import { componentTargets } from './components.ts';

/** What the controllers of Operators work with. */
export interface OperatorContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly operators: KindCache;
  readonly versions: KindCache;
  /** Subscriptions by `namespace/name` of the ClusterServiceVersion that they have installed. */
  readonly subscriptionsOf: CacheIndex;
  /** Objects with the label of an Operator, by its name. */
  readonly componentsOf: (operator: string) => readonly KubeObject[];
  /** Objects that a ClusterServiceVersion owns, by its uid or, outside of its namespace, by owner labels. */
  readonly ownedBy: (csv: KubeObject) => readonly KubeObject[];
  readonly definitions: KindCache;
  /** ClusterServiceVersions by the names of the CustomResourceDefinitions that they claim to own. */
  readonly claimantsOf: CacheIndex;
  /** Whether another ClusterServiceVersion replaces it. */
  readonly isReplaced: (csv: KubeObject) => boolean;
  readonly cacheOf: (object: Pick<KubeObject, 'apiVersion' | 'kind'>) => KindCache | undefined;
  /** Of all kinds of components. */
  readonly caches: readonly KindCache[];
}

const { kind: csvKind } = clusterServiceVersionResource;

/** Keys by which an object is found that a ClusterServiceVersion owns. */
function ownerKeys({ metadata }: KubeObject): string[] {
  const { namespace, labels = {}, ownerReferences = [] } = metadata;
  const referenced = ownerReferences.filter(({ kind }) => kind === csvKind).map(({ uid }) => uid);
  const { [olmLabels.owner]: name, [olmLabels.ownerNamespace]: place, [olmLabels.ownerKind]: kind } = labels;
  const isLabelled = namespace === undefined && kind === csvKind && name !== undefined && place !== undefined;
  return isLabelled ? [...referenced, `${place}/${name}`] : referenced;
}

/** The requests for ClusterServiceVersions that own an object. */
export function ownersOf({ metadata }: KubeObject): readonly { readonly namespace: string; readonly name: string }[] {
  const { namespace, labels = {}, ownerReferences = [] } = metadata;
  if (namespace !== undefined) {
    return ownerReferences.filter(({ kind }) => kind === csvKind).map(({ name }) => ({ namespace, name }));
  }
  const { [olmLabels.owner]: name, [olmLabels.ownerNamespace]: place, [olmLabels.ownerKind]: kind } = labels;
  return kind === csvKind && name !== undefined && place !== undefined ? [{ namespace: place, name }] : [];
}

/** `namespace/name` of what a Subscription has installed. */
function installedBy({ metadata, ...content }: KubeObject): string[] {
  const installed = textAt(objectAt(content as JsonObject, 'status'), 'installedCSV');
  return installed === '' ? [] : [`${metadata.namespace ?? ''}/${installed}`];
}

/** `namespace/name` of what a ClusterServiceVersion replaces. */
function replacedBy({ metadata, ...content }: KubeObject): string[] {
  const replaced = textAt(objectAt(content as JsonObject, 'spec'), 'replaces');
  return replaced === '' || replaced === metadata.name ? [] : [`${metadata.namespace ?? ''}/${replaced}`];
}

/** Names of the CustomResourceDefinitions that a ClusterServiceVersion claims to own. */
export function claimedDefinitions(csv: KubeObject): string[] {
  const owned = objectsAt(objectAt(csv as JsonObject, 'spec', 'customresourcedefinitions'), 'owned');
  return owned.map((one) => textAt(one, 'name'));
}

/** The context of a manager; opens its caches. */
export function createOperatorContext(manager: Manager): OperatorContext {
  const caches = componentTargets.map((target) => ({ target, cache: manager.cache(target) }));
  const labelled = caches.map(({ cache }) => indexCache(cache, operatorsOf));
  const owned = caches.map(({ cache }) => indexCache(cache, ownerKeys));
  const cacheOf = ({ kind, apiVersion }: Pick<KubeObject, 'apiVersion' | 'kind'>): KindCache | undefined =>
    caches.find(({ target }) => target.kind === kind && target.apiVersion === apiVersion)?.cache;
  const versions = manager.cache(originalVersions);
  const successors = indexCache(versions, replacedBy);
  return {
    kube: manager.kube,
    clock: manager.clock,
    operators: manager.cache(operatorResource),
    versions,
    subscriptionsOf: indexCache(manager.cache(subscriptionResource), installedBy),
    componentsOf: (operator) => labelled.flatMap((index) => index.get(operator)),
    ownedBy: ({ metadata }) => {
      const keys = [metadata.uid ?? '', `${metadata.namespace ?? ''}/${metadata.name ?? ''}`];
      return owned.flatMap((index) => keys.flatMap((key) => index.get(key)));
    },
    definitions: manager.cache(definitionSummaries),
    claimantsOf: indexCache(versions, claimedDefinitions),
    isReplaced: ({ metadata }) => successors.names(`${metadata.namespace ?? ''}/${metadata.name ?? ''}`).length > 0,
    cacheOf,
    caches: caches.map(({ cache }) => cache),
  };
}
