import { type Health, healthOf } from '../../apply/index.ts';
import { isJsonObject, TransientError } from '../../base/index.ts';

import { type Condition, conditionsOf, type KubeObject } from '../../kube/index.ts';
import type { ReleaseManifest, ReleaseTask } from '../../release/index.ts';
import { objectOf } from '../failures/api-failure.ts';
import { UpdateFailure } from '../failures/update-failure.ts';

/** How long workloads are waited for. `reference`: a roll-out is not awaited, only one that cannot go on is a failure. `strict`: a release goes on
 *  only when its workloads are rolled out. */
export type WaitPolicy = 'reference' | 'strict';

function countOf(object: KubeObject, field: string): number {
  const status = object['status'];
  const value = isJsonObject(status) ? status[field] : 0;
  return typeof value === 'number' ? value : 0;
}

function placeOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

function workloadFailure(task: ReleaseTask, reason: string, message: string): UpdateFailure {
  const { namespace, name } = task.manifest.key;
  return new UpdateFailure(reason, message, {
    effect: 'Fail',
    names: [`${namespace}/${name}`],
    object: objectOf(task),
  });
}

/** In the words of the reference. */
function assertDeploymentGoesOn(task: ReleaseTask, live: KubeObject): void {
  const conditions = conditionsOf(live);
  const find = (type: string): Condition | undefined => conditions.find((condition) => condition.type === type);
  const deployment = `deployment ${placeOf(live)}`;
  const [available, progressing, failure] = [find('Available'), find('Progressing'), find('ReplicaFailure')];
  if (failure?.status === 'True') {
    const text = `${deployment} has a replica failure ${failure.reason}: ${failure.message}`;
    throw workloadFailure(task, 'WorkloadNotProgressing', text);
  }
  if (progressing?.status !== 'False') return;
  if (available?.status === 'False') {
    const text = `${deployment} is not available ${available.reason} (${available.message}) or progressing ${progressing.reason} (${progressing.message})`;
    throw workloadFailure(task, 'WorkloadNotAvailable', text);
  }
  if (progressing.reason === 'ProgressDeadlineExceeded') {
    const text = `${deployment} is Progressing=False: ${progressing.reason}: ${progressing.message}`;
    throw workloadFailure(task, 'WorkloadNotProgressing', text);
  }
}

function assertJobGoesOn(live: KubeObject): void {
  if (countOf(live, 'succeeded') > 0) return;
  const failed = conditionsOf(live).find(({ type, status }) => type === 'Failed' && status === 'True');
  const hasFailed = countOf(live, 'active') === 0 && countOf(live, 'failed') > 0;
  if (!hasFailed && failed?.reason !== 'DeadlineExceeded') return;
  const text = `deadline exceeded, reason: "${failed?.reason ?? ''}", message: "${failed?.message ?? ''}"`;
  throw new TransientError('JobFailed', text);
}

function assertEstablished(live: KubeObject): void {
  const conditions = conditionsOf(live);
  const name = live.metadata.name ?? '';
  for (const type of ['Established', 'NamesAccepted']) {
    const condition = conditions.find((one) => one.type === type);
    if (condition?.status === 'True') continue;
    const text =
      condition === undefined
        ? `CustomResourceDefinition ${name} does not declare an ${type} status condition: [${conditions.map((one) => one.type).join(' ')}]`
        : `CustomResourceDefinition ${name} ${type}=${condition.status}, ${condition.reason}: ${condition.message}`;
    throw new TransientError('DefinitionNotEstablished', text);
  }
}

function assertNotDeleted(live: KubeObject): void {
  if (live.metadata.deletionTimestamp === undefined) return;
  const text = `${live.kind} ${placeOf(live)} is being deleted`;
  throw new TransientError('BeingDeleted', text);
}

function assertAvailable(live: KubeObject): void {
  const available = conditionsOf(live).find(({ type }) => type === 'Available');
  if (available?.status === 'True') return;
  const text = `APIService ${live.metadata.name ?? ''} is not available: ${available?.reason ?? 'no condition Available'}: ${available?.message ?? ''}`;
  throw new TransientError('ApiServiceNotAvailable', text);
}

type Check = (task: ReleaseTask, live: KubeObject) => void;

/** By `Kind.group`. */
const checks: Readonly<Record<string, Check | undefined>> = {
  'APIService.apiregistration.k8s.io': (_, live) => assertAvailable(live),
  'CustomResourceDefinition.apiextensions.k8s.io': (_, live) => assertEstablished(live),
  'DaemonSet.apps': (_, live) => assertNotDeleted(live),
  'Deployment.apps': (task, live) => {
    assertNotDeleted(live);
    assertDeploymentGoesOn(task, live);
  },
  'Job.batch': (_, live) => assertJobGoesOn(live),
};

/** What a release that waits strictly waits for. */
const awaited = new Set(['DaemonSet.apps', 'Deployment.apps', 'StatefulSet.apps', 'Job.batch']);

function assertRolledOut(task: ReleaseTask, { state, message }: Health): void {
  if (state === 'Current') return;
  const { kind, namespace, name } = task.manifest.key;
  const text = `${kind} ${namespace}/${name} is not rolled out: ${message}`;
  throw new UpdateFailure('WorkloadUpdating', text, {
    effect: state === 'Failed' ? 'FailAfterInterval' : 'None',
    names: [name],
    object: objectOf(task),
    plural: { reason: 'WorkloadsUpdating', message: (names) => `Workloads ${names} are not rolled out` },
  });
}

/** Whether there is anything to check of objects of that kind. */
export function hasHealth({ key: { kind, group } }: ReleaseManifest, policy: WaitPolicy): boolean {
  const key = `${kind}.${group}`;
  return checks[key] !== undefined || (policy === 'strict' && awaited.has(key));
}

/** Whether the update may go on after an object was applied.
 *  @throws UpdateFailure, TransientError otherwise
 *  @see docs/spec/cluster-version.md#health-rule-per-kind */
export function assertHealthy(task: ReleaseTask, live: KubeObject, terms: { policy: WaitPolicy; nowMs: number }): void {
  const { kind, group } = task.manifest.key;
  const key = `${kind}.${group}`;
  checks[key]?.(task, live);
  if (terms.policy === 'strict' && awaited.has(key)) assertRolledOut(task, healthOf(live, terms.nowMs));
}
