import { clusterServiceVersionResource, olmLabels } from '../../api/index.ts';
import { type JsonObject, listAt } from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileRun,
  requeueAfter,
  type Step,
  type Watch,
} from '../../controller/index.ts';
import {
  type CacheChange,
  formatNamespacedName,
  isNotFound,
  type KubeObject,
  type NamespacedName,
  namespacedName,
} from '../../kube/index.ts';
import { ownerLabels } from '../../operators/index.ts';
import { deleteObject, type RbacWriter } from '../rbac-objects.ts';
import type { Operator } from './access.ts';
import { liftedAccess, liftedAnnotation, versionKey } from './access.ts';
import {
  describeUnwritten,
  ensureEach,
  giverOf,
  joined,
  nameOf,
  refusedMs,
  roleOf,
  type Unwritten,
} from './access-writer.ts';
import { type CopyContext, copyTargets, versionRef } from './context.ts';
import { readRule } from './permitted.ts';

interface LiftRun extends ReconcileRun {
  readonly context: CopyContext;
  readonly operator: Operator;
}

function isLifted({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[liftedAnnotation] !== undefined;
}

function liftedFor(context: CopyContext, request: NamespacedName): readonly KubeObject[] {
  const key = versionKey(request);
  return [...context.clusterBindingsOf(key), ...context.clusterRolesOf(key)].filter(isLifted);
}

/** Whether an object without the annotation is one that OLM lifted: a role ends with the rule that only these have, and a binding has the name of
 *  one. ClusterRoles of the operator's own cluster permissions have the same labels. */
function looksLifted(live: KubeObject, desired: KubeObject): boolean {
  if (live.kind === 'ClusterRoleBinding') return roleOf(live) === roleOf(desired);
  const lastOf = (role: KubeObject): string => JSON.stringify(readRule(listAt(role as JsonObject, 'rules').at(-1)));
  return lastOf(live) === lastOf(desired);
}

function isOwn(live: KubeObject, desired: KubeObject, { object }: Operator): boolean {
  const { namespace = '', name = '' } = object.metadata;
  const labels = ownerLabels({ kind: clusterServiceVersionResource.kind, namespace, name });
  const isLabelled = Object.entries(labels).every(([key, value]) => live.metadata.labels?.[key] === value);
  return isLabelled && (isLifted(live) || looksLifted(live, desired));
}

function report(run: LiftRun, unwritten: Unwritten): void {
  const { context, operator } = run;
  const key = `lifted ${formatNamespacedName(namespacedName(operator.object))}`;
  const message = describeUnwritten(unwritten, 'in all namespaces');
  if (unwritten.refused.length > 0) requeueAfter(run, refusedMs);
  if (message === (context.reported.get(key) ?? '')) return;
  if (message === '') context.reported.delete(key);
  else context.reported.set(key, message);
  if (message === '') return;
  context.events.record(operator.object, { type: 'Warning', reason: 'PermissionsNotLifted', message });
}

async function deleteOthers(run: LiftRun, desired: readonly KubeObject[], signal: AbortSignal): Promise<void> {
  const { context, operator } = run;
  const names = new Set(desired.map(nameOf));
  for (const object of liftedFor(context, namespacedName(operator.object))) {
    if (!names.has(nameOf(object))) await deleteObject(context.kube, object, signal);
  }
}

/** Gives an operator that watches all namespaces its permissions there, and takes those away that it is not to have any more. */
const liftAccess: Step<LiftRun> = async (run, { signal }) => {
  const { context, operator } = run;
  const { caches } = context;
  const placement = context.placementOf(operator);
  if (placement.kind === 'unknown') return undefined;
  const desired = placement.kind === 'everywhere' ? liftedAccess(context.accessOf(operator), operator.csv) : [];
  const giver = giverOf(context, placement);
  const writerFor = (object: KubeObject): Omit<RbacWriter, 'kube'> => ({
    cache: object.kind === 'ClusterRole' ? caches.clusterRoles : caches.clusterRoleBindings,
    isOwn: (live) => isOwn(live, object, operator),
    signal,
  });
  const roles = desired.filter(({ kind }) => kind === 'ClusterRole');
  const unwritten = await ensureEach(roles, giver, writerFor);
  // A binding must not give what a ClusterRole of another owner allows.
  const bindings = desired.filter((object) => !roles.includes(object) && !unwritten.foreign.includes(roleOf(object)));
  await deleteOthers(run, [...roles, ...bindings], signal);
  const possible = bindings.filter((object) => !unwritten.refused.includes(roleOf(object)));
  report(run, joined(unwritten, await ensureEach(possible, giver, writerFor)));
  return undefined;
};

const reportDisabled: Step<LiftRun> = async ({ context, operator }) => {
  await Promise.resolve();
  const original = formatNamespacedName(namespacedName(operator.object));
  const key = `disabled ${original}`;
  const isDisabled = context.isCopyingDisabled() && context.placementOf(operator).kind === 'everywhere';
  if (!isDisabled) context.reported.delete(key);
  if (!isDisabled || context.reported.has(key)) return undefined;
  context.reported.set(key, '');
  const message = `CSV copying disabled for ${original}`;
  context.events.record(operator.object, { type: 'Warning', reason: 'DisabledCopiedCSVs', message });
  return undefined;
};

/** Deletes what was lifted for an operator that does not exist any more; the API server is asked first. */
async function removeLifted(context: CopyContext, request: NamespacedName): Promise<void> {
  const { kube, signal, reported } = context;
  for (const about of ['lifted', 'disabled']) reported.delete(`${about} ${formatNamespacedName(request)}`);
  const lifted = liftedFor(context, request);
  if (lifted.length === 0) return;
  try {
    await kube.get(versionRef(request), { signal });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    for (const object of lifted) await deleteObject(kube, object, signal);
  }
}

/** The operator that an object is labelled with. */
export function ownerOf({ metadata }: KubeObject): readonly NamespacedName[] {
  const {
    [olmLabels.owner]: name,
    [olmLabels.ownerKind]: kind,
    [olmLabels.ownerNamespace]: namespace,
  } = metadata.labels ?? {};
  if (name === undefined || namespace === undefined || kind !== clusterServiceVersionResource.kind) return [];
  return [{ namespace, name }];
}

function liftWatches(context: CopyContext): readonly Watch[] {
  const operatorsIn = (namespace: string): readonly NamespacedName[] =>
    context.originalsIn(namespace).map(({ object }) => namespacedName(object));
  const owners = ({ before, after }: CacheChange<KubeObject>): readonly NamespacedName[] =>
    [before, after].flatMap((object) => (object === undefined ? [] : ownerOf(object)));
  return [
    {
      target: copyTargets.groups,
      requestsFor: ({ before, after }) => operatorsIn((after ?? before)?.metadata.namespace ?? ''),
    },
    {
      target: copyTargets.config,
      requestsFor: () => context.groupsTargeting('').flatMap(({ metadata }) => operatorsIn(metadata.namespace ?? '')),
    },
    ...(['roles', 'roleBindings', 'clusterRoles', 'clusterRoleBindings'] as const).map((name) => ({
      target: copyTargets[name],
      requestsFor: owners,
    })),
  ];
}

/** The controller of what operators that watch all namespaces may do there.
 *  @see docs/spec/olm-v0.md#for-the-operator-in-its-targets */
export const operatorAccessController: ControllerDefinition<CopyContext, LiftRun> = defineController({
  name: 'operator-access',
  for: copyTargets.originals,
  watches: liftWatches,
  begin: (context, object) => {
    const operator = context.original(namespacedName(object));
    return operator === undefined ? undefined : { context, object, operator };
  },
  steps: [liftAccess, reportDisabled],
  forget: removeLifted,
  // Its rules are among those of the controller of the copies.
  permissions: {},
  isOptional: true,
});
