import {
  type OperatorGroup,
  type OperatorGroupConditionType,
  type OperatorGroupReason,
  olmAnnotations,
  olmFieldManager,
  olmLabels,
  parseOperatorGroup,
} from '../../api/index.ts';
import { formatTimestamp, isJsonEqual, type JsonObject } from '../../base/index.ts';
import { type ReconcileRun, StatusWriter, type Step } from '../../controller/index.ts';
import { conditionsOf, type KubeObject, preconditionOf, refOf } from '../../kube/index.ts';
import { ApiSet, areIntersecting, parseApis, surfaceOf } from '../../operators/index.ts';
import { ensureRbac } from '../rbac-objects.ts';
import type { GroupContext } from './context.ts';
import { groupRoles, isRoleOfGroup } from './group-roles.ts';
import { allApis, prunedApis } from './provided-apis.ts';
import { resolveTargets, selectorOf } from './targets.ts';

/** The reconcile of one OperatorGroup. */
export interface GroupRun extends ReconcileRun {
  readonly context: GroupContext;
  readonly group: OperatorGroup;
  readonly status: StatusWriter<GroupRun>;
  /** APIs of groups that the targets of the spec bring together with this one. */
  met: ApiSet;
}

/** A group that is being deleted is left alone until it does not exist. */
export function beginGroup(context: GroupContext, object: KubeObject): GroupRun | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const { kube, clock, groups } = context;
  const status = new StatusWriter<GroupRun>(object, {
    kube,
    clock,
    fieldManager: olmFieldManager,
    cache: groups,
    hasGenerations: false,
  });
  return { context, object, group: parseOperatorGroup(object), status, met: new ApiSet() };
}

interface Problem {
  readonly reason: OperatorGroupReason;
  readonly message: string;
}

function report(run: GroupRun, type: OperatorGroupConditionType, problem: Problem | undefined): void {
  if (problem !== undefined) return run.status.set(run, [{ type, status: 'True', ...problem }]);
  run.status.remove(run, type);
  if (conditionsOf(run.object).length === 0) run.status.setFields(run, { conditions: null });
}

function namespaceOf({ group }: GroupRun): string {
  return group.metadata.namespace ?? '';
}

function othersOf(run: GroupRun): readonly KubeObject[] {
  const { uid } = run.object.metadata;
  return run.context.groupsIn(namespaceOf(run)).filter(({ metadata }) => metadata.uid !== uid);
}

const countGroups: Step<GroupRun> = async (run) => {
  await Promise.resolve();
  const message = 'Multiple OperatorGroup found in the same namespace';
  const problem: Problem = { reason: 'MultipleOperatorGroupsFound', message };
  report(run, 'MultipleOperatorGroup', othersOf(run).length > 0 ? problem : undefined);
  return undefined;
};

/** The ServiceAccount of the spec. It gets a label, so that controllers find it. */
async function managedAccount(run: GroupRun, name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
  const { kube, serviceAccounts } = run.context;
  const account = serviceAccounts.get(name, namespaceOf(run));
  if (account === undefined || account.metadata.labels?.[olmLabels.managed] === 'true') return account;
  const { uid = '' } = account.metadata;
  const patch = { metadata: { uid, labels: { [olmLabels.managed]: 'true' } } };
  const { metadata } = await kube.patch(refOf(account), patch, { fieldManager: olmFieldManager, signal });
  const labelled = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
  serviceAccounts.wrote(labelled);
  return labelled;
}

const resolveServiceAccount: Step<GroupRun> = async (run, { signal }) => {
  const { serviceAccountName: name = '' } = run.group.spec ?? {};
  const account = name === '' ? undefined : await managedAccount(run, name, signal);
  const problem: Problem = { reason: 'ServiceAccountNotFound', message: `ServiceAccount ${name} not found` };
  report(run, 'OperatorGroupServiceAccount', name !== '' && account === undefined ? problem : undefined);
  const { uid = '' } = account?.metadata ?? {};
  const reference = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: namespaceOf(run), name, uid };
  run.status.setFields(run, { serviceAccountRef: account === undefined ? null : reference });
  return undefined;
};

/** The APIs of members that groups provide which have a target in common with this one by `namespaces`, and had none before: it came later. Namespaces
 *  that a selector finds are not of its choice: others may label theirs. */
function metApis(run: GroupRun, namespaces: readonly string[]): ApiSet {
  const { group, context } = run;
  const { lastUpdated = '', namespaces: known = [] } = group.status ?? {};
  const own = allApis(context.operatorsIn(namespaceOf(run)));
  const isSame = isJsonEqual([...known], [...namespaces]);
  if (selectorOf(group) !== undefined || isSame || own.size === 0) return new ApiSet();
  const before = surfaceOf(group);
  const after = surfaceOf({ ...group, status: { lastUpdated, namespaces: [...namespaces] } });
  const met = context.groups.values().flatMap((object) => {
    const other = context.readGroup(object);
    if (other === undefined || object.metadata.namespace === group.metadata.namespace) return [];
    const surface = surfaceOf(other);
    return areIntersecting(after, surface) && !areIntersecting(before, surface) ? [surface] : [];
  });
  return new ApiSet(met.flatMap(({ apis }) => own.intersection(apis).values()));
}

const setTargets: Step<GroupRun> = async (run) => {
  await Promise.resolve();
  const { namespaces, problem } = resolveTargets(run.group, run.context.namespaces);
  run.met = metApis(run, namespaces);
  report(run, 'OperatorGroupTargets', problem);
  run.status.setFields(run, { namespaces: namespaces.length === 0 ? null : [...namespaces] });
  const before = { ...run.group.status } as unknown as JsonObject;
  const after = run.object['status'] as JsonObject | undefined;
  const { conditions: _before, ...fieldsBefore } = before;
  const { conditions: _after, ...fields } = after ?? {};
  if (isJsonEqual(fieldsBefore, fields) && run.group.status?.lastUpdated !== undefined) return undefined;
  run.status.setFields(run, { lastUpdated: formatTimestamp(run.context.clock.now()) });
  return undefined;
};

/** Records a problem of the ClusterRoles once; an empty message ends it. */
function warn({ context, object }: GroupRun, reason: string, message: string): void {
  const { reported, events } = context;
  const { uid = '' } = object.metadata;
  if (message === (reported.get(uid) ?? '')) return;
  if (message === '') reported.delete(uid);
  else reported.set(uid, message);
  if (message !== '') events.record(object, { type: 'Warning', reason, message });
}

function warnOfForeign(run: GroupRun, names: readonly string[]): void {
  const shown = names.join(', ');
  const message = `ClusterRole ${shown} has another owner and is left as it is: delete it, so that it can be created for this OperatorGroup`;
  warn(run, 'ClusterRoleNotOwned', shown === '' ? '' : message);
}

/** The names of owners are values of labels. */
const maxOwnerLength = 63;

function isNameTooLong(run: GroupRun): boolean {
  const { length } = run.group.metadata.name;
  if (length <= maxOwnerLength) return false;
  const message = `the name of the OperatorGroup has ${length} characters, expected at most ${maxOwnerLength}: no ClusterRoles are created for its users; create it again with a shorter name`;
  warn(run, 'NameTooLong', message);
  return true;
}

function providedText({ object }: GroupRun): string | undefined {
  return object.metadata.annotations?.[olmAnnotations.providedApis];
}

const ensureRoles: Step<GroupRun> = async (run, { signal }) => {
  if (isNameTooLong(run)) return undefined;
  const { kube, clusterRoles: cache, operatorsIn } = run.context;
  const group = { namespace: namespaceOf(run), name: run.group.metadata.name };
  const isOwn = (live: KubeObject): boolean => isRoleOfGroup(live, group);
  const apis = parseApis(providedText(run)).union(allApis(operatorsIn(group.namespace)));
  const foreign: string[] = [];
  for (const role of groupRoles(group, apis)) {
    const result = await ensureRbac({ kube, cache, isOwn, signal }, role);
    if (result === 'foreign') foreign.push(role.metadata.name ?? '');
  }
  warnOfForeign(run, foreign);
  return undefined;
};

/** Of several groups none has the operators of the namespace, so that their annotations stay. */
const pruneApis: Step<GroupRun> = async (run, { signal }) => {
  const text = providedText(run);
  if (text === undefined || run.group.spec?.staticProvidedAPIs === true || othersOf(run).length > 0) return undefined;
  const provided = parseApis(text);
  const pruned = prunedApis(provided, run.context.operatorsIn(namespaceOf(run))).difference(run.met);
  if (pruned.size === provided.size) return undefined;
  const annotations = { [olmAnnotations.providedApis]: String(pruned) };
  const patch = { metadata: { ...preconditionOf(run.object), annotations } };
  const written = await run.context.kube.patch(refOf(run.object), patch, { fieldManager: olmFieldManager, signal });
  run.context.groups.wrote(written);
  run.status.rebase(run, written);
  return undefined;
};

/** Targets are published before roles follow, which may take longer. */
const publish: Step<GroupRun> = async (run, { signal }) => {
  await run.status.flush(run, signal);
  return undefined;
};

/** The steps of a reconcile.
 *  @see docs/spec/olm-v0.md#operatorgroup-reconcile-targets-annotations */
export const steps: readonly Step<GroupRun>[] = [
  countGroups,
  resolveServiceAccount,
  setTargets,
  publish,
  pruneApis,
  ensureRoles,
];
