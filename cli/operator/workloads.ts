import type { ClusterServiceVersion } from '../../src/api/index.ts';
import { cutText, type JsonObject, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import { isForbidden, isNotFound, type KubeClient, type KubeObject } from '../../src/kube/index.ts';

/** The operator waits for its Deployments, or failed because of them. */
const reasons = new Set([
  'InstallWaiting',
  'InstallSucceeded',
  'ComponentUnhealthy',
  'InstallCheckFailed',
  'NeedsReinstall',
]);
const maxPods = 50;
const maxLines = 8;
const maxTextCharacters = 300;
/** They pass by themselves. */
const passing = new Set(['ContainerCreating', 'PodInitializing']);

function clause(reason: string, message: string): string {
  const text = cutText(message.replace(/\s+/g, ' ').trim(), maxTextCharacters);
  return text === '' ? reason : `${reason}, ${text}`;
}

function conditionText(object: KubeObject, type: string): string | undefined {
  const conditions = objectsAt(objectAt(object as JsonObject, 'status'), 'conditions');
  const found = conditions.find((one) => textAt(one, 'type') === type && textAt(one, 'status') === 'False');
  return found && clause(textAt(found, 'reason'), textAt(found, 'message'));
}

/** Why a container does not run. */
function containerLine(container: JsonObject): string | undefined {
  const state = objectAt(container, 'state');
  const waiting = objectAt(state, 'waiting');
  const terminated = objectAt(state, 'terminated') ?? objectAt(container, 'lastState', 'terminated');
  const reason = textAt(waiting, 'reason');
  if (waiting !== undefined && !passing.has(reason)) {
    const code = terminated?.['exitCode'];
    const exit = typeof code === 'number' ? ` (last exit code ${code})` : '';
    return `container ${textAt(container, 'name')}: ${clause(reason, textAt(waiting, 'message'))}${exit}`;
  }
  const ended = objectAt(state, 'terminated');
  if (ended === undefined || ended['exitCode'] === 0) return undefined;
  return `container ${textAt(container, 'name')}: ${clause(textAt(ended, 'reason'), textAt(ended, 'message'))}`;
}

/** What is wrong with a Pod, a line each.
 *  Exported for tests. */
export function podProblems(pod: KubeObject): readonly string[] {
  const status = objectAt(pod as JsonObject, 'status');
  const containers = ['initContainerStatuses', 'containerStatuses'].flatMap((list) => objectsAt(status, list));
  const lines = containers.flatMap((container) => containerLine(container) ?? []);
  const unscheduled = conditionText(pod, 'PodScheduled');
  const all = unscheduled === undefined ? lines : [unscheduled, ...lines];
  return all.map((line) => `Pod ${pod.metadata.name}: ${line}`);
}

function selectorOf(deployment: KubeObject): string {
  const labels = objectAt(deployment as JsonObject, 'spec', 'selector', 'matchLabels') ?? {};
  return Object.keys(labels)
    .map((key) => `${key}=${textAt(labels, key)}`)
    .join(',');
}

async function problemsOf(kube: KubeClient, namespace: string, name: string): Promise<readonly string[]> {
  try {
    const deployment = await kube.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name });
    const unavailable = conditionText(deployment, 'Available');
    if (unavailable === undefined) return [];
    const labelSelector = selectorOf(deployment);
    const target = { apiVersion: 'v1', kind: 'Pod', namespace, labelSelector };
    const pods = labelSelector === '' ? [] : (await kube.list(target)).items.slice(0, maxPods);
    return [`Deployment ${name}: ${unavailable}`, ...pods.flatMap(podProblems)];
  } catch (thrown) {
    if (isNotFound(thrown)) return [`Deployment ${name} does not exist`];
    if (isForbidden(thrown)) return [];
    throw thrown;
  }
}

function isWaitingForDeployments({ status }: ClusterServiceVersion): boolean {
  return status?.phase !== 'Succeeded' && reasons.has(status?.reason ?? '');
}

/** Why the Deployments of an operator are not available, as far as the user may read them: a line for each Deployment, and for what keeps its Pods from
 *  running. */
export async function workloadProblems(kube: KubeClient, csv: ClusterServiceVersion): Promise<readonly string[]> {
  const { metadata, spec } = csv;
  if (!isWaitingForDeployments(csv)) return [];
  const names = (spec.install.spec?.deployments ?? []).map(({ name }) => name);
  const lines: string[] = [];
  for (const name of names) lines.push(...(await problemsOf(kube, metadata.namespace ?? '', name)));
  const shown = lines.slice(0, maxLines);
  return lines.length > maxLines ? [...shown, `and ${lines.length - maxLines} more`] : shown;
}
