import { formatAge, formatDuration } from '../../src/base/index.ts';
import type { KubeObject, TableColumn } from '../core/index.ts';
import {
  age,
  column,
  containerColumns,
  countColumn,
  integerColumn,
  labelsColumn,
  selectorColumn,
  textColumn,
} from './columns.ts';
import { at, conditionOf, numberAt, textAt } from './object-values.ts';
import { podGatesText, podReadyText, podRestartsText, podStatusText } from './pod-status.ts';

const template = ['spec', 'template'];
const selector = selectorColumn('Selector*', ['spec', 'selector']);

function ratio(ready: readonly string[], total: readonly string[]): TableColumn {
  return column('Ready', (object) => `${numberAt(object, ...ready)}/${numberAt(object, ...total)}`);
}

function isTrue(job: KubeObject, type: string): boolean {
  return textAt(conditionOf(job, type), 'status') === 'True';
}

function jobStatus(job: KubeObject): string {
  const ended = ['Complete', 'Failed'].find((type) => isTrue(job, type));
  if (ended !== undefined) return ended;
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (isTrue(job, 'Suspended')) return 'Suspended';
  return ['FailureTarget', 'SuccessCriteriaMet'].find((type) => isTrue(job, type)) ?? 'Running';
}

function jobCompletions(job: KubeObject): string {
  const succeeded = numberAt(job, 'status', 'succeeded');
  const completions = at(job, 'spec', 'completions');
  if (typeof completions === 'number') return `${succeeded}/${completions}`;
  const parallelism = numberAt(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject, nowMs: number): string {
  const start = Date.parse(textAt(job, 'status', 'startTime'));
  if (Number.isNaN(start)) return '';
  const end = Date.parse(textAt(job, 'status', 'completionTime'));
  return formatDuration((Number.isNaN(end) ? nowMs : end) - start);
}

const replicaColumns: readonly TableColumn[] = [
  integerColumn('Desired', ['spec', 'replicas']),
  integerColumn('Current', ['status', 'replicas']),
  integerColumn('Ready', ['status', 'readyReplicas']),
  age,
  ...containerColumns(template),
];

function podIp(pod: KubeObject): string {
  return textAt(pod, 'status', 'podIP') || textAt(pod, 'status', 'podIPs', '0', 'ip') || '<none>';
}

function number(name: string, path: readonly string[]): TableColumn {
  return column(name, (object) => numberAt(object, ...path));
}

/** Columns after Name, by `group/Kind`, of what runs pods. */
export const workloadColumns: Readonly<Record<string, readonly TableColumn[]>> = {
  '/Pod': [
    column('Ready', podReadyText),
    column('Status', podStatusText),
    column('Restarts', podRestartsText),
    age,
    column('IP*', podIp),
    textColumn('Node*', ['spec', 'nodeName'], '<none>'),
    textColumn('Nominated Node*', ['status', 'nominatedNodeName'], '<none>'),
    column('Readiness Gates*', podGatesText),
  ],
  '/PodTemplate': [
    ...containerColumns(['template'], false),
    labelsColumn('Pod Labels', ['template', 'metadata', 'labels']),
  ],
  '/ReplicationController': [...replicaColumns, labelsColumn('Selector*', ['spec', 'selector'])],
  'apps/ReplicaSet': [...replicaColumns, selector],
  'apps/Deployment': [
    ratio(['status', 'readyReplicas'], ['spec', 'replicas']),
    number('Up-to-date', ['status', 'updatedReplicas']),
    number('Available', ['status', 'availableReplicas']),
    age,
    ...containerColumns(template),
    selector,
  ],
  'apps/StatefulSet': [ratio(['status', 'readyReplicas'], ['spec', 'replicas']), age, ...containerColumns(template)],
  'apps/DaemonSet': [
    integerColumn('Desired', ['status', 'desiredNumberScheduled']),
    integerColumn('Current', ['status', 'currentNumberScheduled']),
    integerColumn('Ready', ['status', 'numberReady']),
    integerColumn('Up-to-date', ['status', 'updatedNumberScheduled']),
    integerColumn('Available', ['status', 'numberAvailable']),
    labelsColumn('Node Selector', [...template, 'spec', 'nodeSelector']),
    age,
    ...containerColumns(template),
    selector,
  ],
  'batch/Job': [
    column('Status', jobStatus),
    column('Completions', jobCompletions),
    column('Duration', jobDuration),
    age,
    ...containerColumns(template),
    selector,
  ],
  'batch/CronJob': [
    textColumn('Schedule', ['spec', 'schedule']),
    textColumn('Timezone', ['spec', 'timeZone'], '<none>'),
    column('Suspend', (object) => (at(object, 'spec', 'suspend') === true ? 'True' : 'False'), { type: 'boolean' }),
    countColumn('Active', ['status', 'active']),
    column('Last Schedule', (object, nowMs) => {
      const last = textAt(object, 'status', 'lastScheduleTime');
      return last === '' ? '<none>' : formatAge(last, nowMs);
    }),
    age,
    ...containerColumns(['spec', 'jobTemplate', 'spec', 'template']),
    selectorColumn('Selector*', ['spec', 'jobTemplate', 'spec', 'selector']),
  ],
};
