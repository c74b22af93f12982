import {
  type CacheChange,
  groupOf,
  type KindCache,
  type KubeObject,
  type ListTarget,
  type NamespacedName,
  namespacedName,
} from '../kube/index.ts';
import type { ControllerDefinition, ReconcileRun, Watch } from './definition.ts';

interface Caches {
  cache(target: ListTarget): KindCache;
}

type AnyDefinition = Pick<ControllerDefinition<never, ReconcileRun>, 'for' | 'owns' | 'read' | 'firstRequests'>;

/** Everything that a controller lists and watches. */
export function targetsOf({ for: target, owns = [], read }: AnyDefinition, watches: readonly Watch[]): ListTarget[] {
  const own = read === undefined ? [target] : [];
  return [...own, ...owns, ...watches.map((watch) => watch.target)];
}

/** The controller of `object`, where it is one of `kind`; it may be in the namespace of the object, or cluster-scoped. */
function ownersOf({ metadata }: KubeObject, { apiVersion, kind }: ListTarget, owners: KindCache): NamespacedName[] {
  const reference = (metadata.ownerReferences ?? []).find(({ controller = false }) => controller);
  if (reference === undefined || reference.kind !== kind) return [];
  if (groupOf(reference.apiVersion) !== groupOf(apiVersion)) return [];
  const places = new Set([metadata.namespace ?? '', '']);
  return [...places].flatMap((namespace) => {
    const owner = owners.get(reference.name, namespace);
    return owner?.metadata.uid === reference.uid ? [namespacedName(owner)] : [];
  });
}

function changed({ before, after }: CacheChange<KubeObject>): KubeObject[] {
  return [before, after].filter((object) => object !== undefined);
}

/** Requests a reconcile of what each change concerns, from now on. */
export function watchAll(
  { for: target, owns = [], read }: AnyDefinition,
  watches: readonly Watch[],
  { manager, request }: { readonly manager: Caches; readonly request: (key: NamespacedName) => void },
): void {
  const follow = (watched: ListTarget, requestsFor: Watch['requestsFor']): void => {
    manager.cache(watched).subscribe((change) => {
      for (const key of requestsFor(change)) request(key);
    });
  };
  if (read === undefined)
    follow(target, ({ before, after }) => changed({ before, after }).slice(-1).map(namespacedName));
  for (const owned of owns) {
    const owners = manager.cache(target);
    follow(owned, (change) => changed(change).flatMap((object) => ownersOf(object, target, owners)));
  }
  for (const watch of watches) follow(watch.target, watch.requestsFor);
}

/** Requests a reconcile of all objects that are cached, and of the first requests. */
export function enqueueAll(
  { for: target, read, firstRequests = [] }: AnyDefinition,
  manager: Caches,
  request: (key: NamespacedName) => void,
): void {
  for (const key of firstRequests) request(key);
  if (read !== undefined) return;
  for (const object of manager.cache(target).values()) request(namespacedName(object));
}
