import { type ClusterServiceVersion, operatorConditionResource } from '../../api/index.ts';
import { isJsonEqual, type JsonObject, type JsonValue, objectAt, objectsAt, textAt } from '../../base/index.ts';
import type { Watch } from '../../controller/index.ts';
import type { CacheChange, KubeObject, NamespacedName } from '../../kube/index.ts';
import { predecessorsOf, replacementsOf } from './chain.ts';
import { type CsvContext, configuredBy, csvTargets } from './context.ts';
import { apisOfGroup } from './group-index.ts';
import { servingTargets, servingWatches } from './serving/index.ts';
import { readVersion, versionKeys, versionsIn } from './version-index.ts';

type Change = CacheChange<KubeObject>;
type Requests = (context: CsvContext, change: Change) => Iterable<NamespacedName>;

function both({ before, after }: Change): readonly KubeObject[] {
  return [before, after].filter((object) => object !== undefined);
}

function all({ versions }: CsvContext, keys: Iterable<string>): NamespacedName[] {
  return [...new Set(keys)].flatMap((key) => versions.names(key));
}

function reduced(object: KubeObject | undefined, ...members: readonly string[]): JsonValue {
  return members.map((name) => (object as JsonObject | undefined)?.[name] ?? null);
}

/** Members of the group, and operators that lost against its APIs. Others need no reconcile: the group that changes gives way. */
const ofGroup: Requests = (context, change) => {
  const namespaces = both(change).map(({ metadata }) => versionKeys.inNamespace(metadata.namespace ?? ''));
  const apis = new Set(both(change).flatMap(apisOfGroup));
  return all(context, [...namespaces, ...[...apis].map(versionKeys.conflicting)]);
};

const ofDeployment: Requests = (context, change) =>
  all(
    context,
    both(change).map(({ metadata }) => versionKeys.deployment(metadata.namespace ?? '', metadata.name ?? '')),
  );

const ofDefinition: Requests = (context, change) => {
  const keys = both(change).flatMap((object) => {
    const group = textAt(objectAt(object as JsonObject, 'spec'), 'group');
    const native = versionKeys.nativeGroup(group);
    if (context.versions.names(native).length > 0) forgetKinds(context, object, group);
    return [versionKeys.definition(object.metadata.name ?? ''), native];
  });
  return all(context, keys);
};

/** What the API server serves of the group is to be discovered again. */
function forgetKinds({ kube }: CsvContext, definition: KubeObject, group: string): void {
  for (const version of objectsAt(objectAt(definition as JsonObject, 'spec'), 'versions')) {
    kube.forgetKinds(`${group}/${textAt(version, 'name')}`);
  }
}

const ofApiService: Requests = (context, change) => {
  const keys = both(change).flatMap((object) => {
    const spec = objectAt(object as JsonObject, 'spec');
    const native = versionKeys.nativeGroup(textAt(spec, 'group'));
    return [versionKeys.apiService(object.metadata.name ?? ''), native];
  });
  return all(context, keys);
};

/** Operators that run as the account, and all whose group installs with its permissions. */
function forAccount(context: CsvContext, namespace: string, name: string): string[] {
  const isOfGroup = context.groups.in(namespace).some(({ spec }) => spec?.serviceAccountName === name);
  return [versionKeys.account(namespace, name), ...(isOfGroup ? [versionKeys.inNamespace(namespace)] : [])];
}

const ofAccount: Requests = (context, change) =>
  all(
    context,
    both(change).flatMap(({ metadata }) => forAccount(context, metadata.namespace ?? '', metadata.name ?? '')),
  );

/** Keys of the operators whose accounts a binding names. */
function keysOfBinding(context: CsvContext, binding: KubeObject): string[] {
  const { namespace: place } = binding.metadata;
  return context.permissions.accountsOf(binding).flatMap((account) => {
    const slash = account.indexOf('/');
    const [namespace, name] = [account.slice(0, slash), account.slice(slash + 1)];
    if (name !== '') return [versionKeys.account(namespace, name), versionKeys.forbidden(namespace)];
    const whole = namespace === '' ? place : namespace;
    return [whole === undefined ? versionKeys.every : versionKeys.inNamespace(whole)];
  });
}

const ofBinding: Requests = (context, change) =>
  all(
    context,
    both(change).flatMap((binding) => keysOfBinding(context, binding)),
  );

const ofRole: Requests = (context, change) => {
  const { before, after } = change;
  if (isJsonEqual(reduced(before, 'rules'), reduced(after, 'rules'))) return [];
  return all(
    context,
    both(change).map(({ metadata }) => versionKeys.inNamespace(metadata.namespace ?? '')),
  );
};

const ofClusterRole: Requests = (context, change) => {
  const { before, after } = change;
  if (isJsonEqual(reduced(before, 'rules'), reduced(after, 'rules'))) return [];
  const bindings = context.permissions.bindingsOf((after ?? before)?.metadata.name ?? '');
  return all(
    context,
    bindings.flatMap((binding) => keysOfBinding(context, binding)),
  );
};

const waiting = ['Pending', 'Failed', 'Replacing'];

/** Whether its next phase depends on others. */
function isWaiting({ status }: ClusterServiceVersion): boolean {
  return status?.phase === undefined || waiting.includes(status.phase);
}

/** What waits for one whose phase or spec changed: the one that it replaces, the ones before that are being replaced, those that replace it, and those
 *  that own the same definitions. */
function related(context: CsvContext, object: KubeObject): NamespacedName[] {
  const csv = readVersion(object);
  if (csv === undefined) return [];
  const { namespace = '' } = csv.metadata;
  const versions = versionsIn(namespace, context.caches.versions, context.versions);
  const [before, ...earlier] = predecessorsOf(csv, versions);
  const chain = [
    ...(before === undefined ? [] : [before]),
    ...earlier.filter(({ status }) => status?.phase === 'Replacing'),
    ...replacementsOf(csv, versions),
  ];
  const owned = csv.spec.customresourcedefinitions?.owned ?? [];
  const owners = owned
    .flatMap(({ name }) => context.versions.get(versionKeys.owning(namespace, name)))
    .flatMap((owner) => readVersion(owner) ?? [])
    .filter(isWaiting);
  return [...chain, ...owners].map(({ metadata }) => ({ namespace, name: metadata.name }));
}

function standingOf(object: KubeObject | undefined): JsonValue {
  if (object === undefined) return null;
  const { generation = 0, deletionTimestamp = '' } = object.metadata;
  const status = objectAt(object as JsonObject, 'status');
  return [generation, deletionTimestamp, textAt(status, 'phase'), textAt(status, 'reason')];
}

const ofVersion: Requests = (context, change) => {
  const { before, after } = change;
  if (isJsonEqual(standingOf(before), standingOf(after))) return [];
  const self = after ?? before;
  return both(change)
    .flatMap((object) => related(context, object))
    .filter(({ name }) => name !== self?.metadata.name);
};

const ofCondition: Requests = (context, change) =>
  all(
    context,
    both(change).map(({ metadata }) => versionKeys.replacing(metadata.namespace ?? '', metadata.name ?? '')),
  );

const ofSubscription: Requests = (_, { before, after }) => {
  const config = (object: KubeObject | undefined): JsonValue =>
    object === undefined ? null : [objectAt(object as JsonObject, 'spec')?.['config'] ?? null, configuredBy(object)];
  if (isJsonEqual(config(before), config(after))) return [];
  const names = new Set(both({ before, after }).flatMap(configuredBy));
  return [...names].map((text) => {
    const slash = text.indexOf('/');
    return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
  });
};

/** Which ClusterServiceVersions a change concerns, by indexes.
 *  @see docs/spec/olm-v0.md#one-csv-reconcile */
export function csvWatches(context: CsvContext): readonly Watch[] {
  const rows: readonly (readonly [Watch['target'], Requests])[] = [
    [servingTargets.versions, ofVersion],
    [servingTargets.groups, ofGroup],
    [servingTargets.deployments, ofDeployment],
    [servingTargets.apiServices, ofApiService],
    [servingTargets.roles, ofRole],
    [servingTargets.roleBindings, ofBinding],
    [servingTargets.clusterRoleBindings, ofBinding],
    [servingTargets.clusterRoles, ofClusterRole],
    [csvTargets.accounts, ofAccount],
    [csvTargets.summaries, ofDefinition],
    [operatorConditionResource, ofCondition],
    [csvTargets.subscriptions, ofSubscription],
  ];
  const own = rows.map(([target, requests]): Watch => ({ target, requestsFor: (change) => requests(context, change) }));
  return [...own, ...servingWatches(context.serving)];
}
