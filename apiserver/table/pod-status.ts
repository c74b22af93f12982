import type { JsonValue } from '../../src/base/index.ts';
import { formatAge } from '../../src/base/index.ts';
import type { KubeObject } from '../core/index.ts';
import { at, conditionOf, listAt, numberAt, textAt } from './object-values.ts';

/** Names of the init containers that are restarted beside the others. A pod may have thousands, and a status for each. */
function sidecarsOf(pod: KubeObject): ReadonlySet<string> {
  const restarted = listAt(pod, 'spec', 'initContainers').filter((each) => textAt(each, 'restartPolicy') === 'Always');
  return new Set(restarted.map((each) => textAt(each, 'name')));
}

function terminatedText(status: JsonValue): string {
  const reason = textAt(status, 'state', 'terminated', 'reason');
  if (reason !== '') return reason;
  const signal = numberAt(status, 'state', 'terminated', 'signal');
  return signal === 0 ? `ExitCode:${numberAt(status, 'state', 'terminated', 'exitCode')}` : `Signal:${signal}`;
}

function isInitDone(status: JsonValue, sidecars: ReadonlySet<string>): boolean {
  if (at(status, 'state', 'terminated') !== undefined) return numberAt(status, 'state', 'terminated', 'exitCode') === 0;
  return sidecars.has(textAt(status, 'name')) && at(status, 'started') === true;
}

/** What the first unfinished init container is doing; undefined when all are done. */
function initText(pod: KubeObject): string | undefined {
  const statuses = listAt(pod, 'status', 'initContainerStatuses');
  const sidecars = sidecarsOf(pod);
  const index = statuses.findIndex((status) => !isInitDone(status, sidecars));
  const status = statuses[index];
  if (status === undefined) return undefined;
  if (at(status, 'state', 'terminated') !== undefined) return `Init:${terminatedText(status)}`;
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`;
  return `Init:${index}/${listAt(pod, 'spec', 'initContainers').length}`;
}

function containersText(pod: KubeObject, otherwise: string): string {
  let text = otherwise;
  let hasRunning = false;
  for (const status of listAt(pod, 'status', 'containerStatuses').toReversed()) {
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    if (waiting !== '') text = waiting;
    else if (at(status, 'state', 'terminated') !== undefined) text = terminatedText(status);
    else if (at(status, 'ready') === true && at(status, 'state', 'running') !== undefined) hasRunning = true;
  }
  if (text !== 'Completed' || !hasRunning) return text;
  return textAt(conditionOf(pod, 'Ready'), 'status') === 'True' ? 'Running' : 'NotReady';
}

/** Init containers stand in the way of the others only until the pod is initialized. */
function isInitialized(pod: KubeObject): boolean {
  return textAt(conditionOf(pod, 'Initialized'), 'status') === 'True';
}

/** The STATUS cell of a pod. */
export function podStatusText(pod: KubeObject): string {
  const phase = textAt(pod, 'status', 'phase');
  const reason = textAt(pod, 'status', 'reason');
  const isGated = textAt(conditionOf(pod, 'PodScheduled'), 'reason') === 'SchedulingGated';
  const base = isGated ? 'SchedulingGated' : reason || phase;
  const init = initText(pod);
  const text = init !== undefined && !isInitialized(pod) ? init : containersText(pod, init ?? base);
  if (pod.metadata.deletionTimestamp === undefined) return text;
  if (reason === 'NodeLost') return 'Unknown';
  return phase === 'Succeeded' || phase === 'Failed' ? text : 'Terminating';
}

function countedStatuses(pod: KubeObject): JsonValue[] {
  const sidecars = sidecarsOf(pod);
  const restarted = listAt(pod, 'status', 'initContainerStatuses').filter((status) =>
    sidecars.has(textAt(status, 'name')),
  );
  return [...listAt(pod, 'status', 'containerStatuses'), ...restarted];
}

/** `1/2`: containers that are ready, restartable init containers counted. */
export function podReadyText(pod: KubeObject): string {
  const total = listAt(pod, 'spec', 'containers').length + sidecarsOf(pod).size;
  const ready = countedStatuses(pod).filter((status) => at(status, 'ready') === true).length;
  return `${ready}/${total}`;
}

/** `0`, `3 (5m ago)`. */
export function podRestartsText(pod: KubeObject, nowMs: number): string {
  const init = initText(pod) === undefined ? [] : listAt(pod, 'status', 'initContainerStatuses');
  const statuses = init.length === 0 || isInitialized(pod) ? countedStatuses(pod) : init;
  const count = statuses.reduce<number>((sum, status) => sum + numberAt(status, 'restartCount'), 0);
  const finished = statuses.map((status) => textAt(status, 'lastState', 'terminated', 'finishedAt')).filter(Boolean);
  const last = finished.sort().at(-1);
  return count === 0 || last === undefined ? String(count) : `${count} (${formatAge(last, nowMs)} ago)`;
}

/** `1/2` of the readiness gates, `<none>` without any. */
export function podGatesText(pod: KubeObject): string {
  const gates = listAt(pod, 'spec', 'readinessGates').map((gate) => textAt(gate, 'conditionType'));
  const statuses = new Map<string, string>();
  for (const condition of listAt(pod, 'status', 'conditions').toReversed()) {
    statuses.set(textAt(condition, 'type'), textAt(condition, 'status'));
  }
  const met = gates.filter((gate) => statuses.get(gate) === 'True').length;
  return gates.length === 0 ? '<none>' : `${met}/${gates.length}`;
}
