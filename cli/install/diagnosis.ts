import { isJsonObject } from '../../src/base/index.ts';
import { describeRef, type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';

const maxEvents = 10;

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface ContainerStatus {
  readonly name?: string;
  readonly restartCount?: number;
  readonly state?: { readonly waiting?: Condition; readonly terminated?: Condition & { readonly exitCode?: number } };
  readonly lastState?: { readonly terminated?: Condition & { readonly exitCode?: number } };
}

/** What helps, by what a reason or message of Kubernetes begins with or contains. */
const advices: readonly { readonly pattern: RegExp; readonly advice: string }[] = [
  {
    pattern: /ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull/,
    advice: 'set an image that the nodes can pull: --image REF',
  },
  {
    pattern: /secret "(core-cert|rukpak-webhook-certificate)" not found/,
    advice:
      'the certificate is not issued yet: by the controllers (overlay self-signed), cert-manager or the service CA; look at the Deployment core, or at the Certificates of the namespace',
  },
  {
    pattern: /violates PodSecurity|is forbidden: exceeded quota/,
    advice: 'the cluster denies the Pods: see the message',
  },
  { pattern: /FailedScheduling|Unschedulable/, advice: 'no node can schedule the Pod: see the message' },
  { pattern: /CrashLoopBackOff|exit code/, advice: 'the container exited: check "kubectl logs" of the Pod' },
];

function partOf<T>(object: KubeObject, field: string): T {
  const part = object[field];
  return (isJsonObject(part) ? part : {}) as T;
}

function conditionsOf(object: KubeObject): readonly Condition[] {
  return partOf<{ conditions?: readonly Condition[] }>(object, 'status').conditions ?? [];
}

const describeCondition = ({ reason = '', message = '' }: Condition): string =>
  [reason, message].filter((text) => text !== '').join(': ');

function deploymentLines(deployment: KubeObject): string[] {
  const failing = conditionsOf(deployment).filter(
    ({ type, status }) =>
      (type === 'ReplicaFailure' && status === 'True') || (type === 'Progressing' && status === 'False'),
  );
  return failing.map(describeCondition);
}

function containerLines({ name = '', restartCount = 0, state, lastState }: ContainerStatus): string[] {
  const lines: string[] = [];
  if (state?.waiting !== undefined) lines.push(`container ${name} waits: ${describeCondition(state.waiting)}`);
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended !== undefined) {
    lines.push(
      `container ${name} ended with exit code ${ended.exitCode ?? '?'}, restarts: ${restartCount}: ${describeCondition(ended)}`,
    );
  }
  return lines;
}

function podLines(pod: KubeObject): string[] {
  const { containerStatuses = [] } = partOf<{ containerStatuses?: readonly ContainerStatus[] }>(pod, 'status');
  const unscheduled = conditionsOf(pod).filter(({ type, status }) => type === 'PodScheduled' && status === 'False');
  const lines = [...unscheduled.map(describeCondition), ...containerStatuses.flatMap(containerLines)];
  const isReady = conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True');
  const phase = partOf<{ phase?: string }>(pod, 'status').phase ?? 'of no phase yet';
  if (lines.length === 0 && !isReady) lines.push(`${phase}, not ready, and its containers report no reason`);
  return lines.map((line) => `pod ${pod.metadata.name ?? ''}: ${line}`);
}

async function eventLines(kube: KubeClient, deployment: KubeObject, signal: AbortSignal): Promise<string[]> {
  const { name = '', namespace } = deployment.metadata;
  const target = { apiVersion: 'v1', kind: 'Event', namespace, fieldSelector: 'type=Warning' };
  const { items } = await kube.list(target, { signal });
  const ofDeployment = items.filter((event) => {
    const { name: subject = '' } = partOf<{ name?: string }>(event, 'involvedObject');
    return subject === name || subject.startsWith(`${name}-`);
  });
  const lines = ofDeployment.map((event) => {
    const { kind = '', name: subject = '' } = partOf<{ kind?: string; name?: string }>(event, 'involvedObject');
    return `event of ${kind.toLowerCase()} ${subject}: ${describeCondition(event as unknown as Condition)}`;
  });
  return [...new Set(lines)].slice(-maxEvents);
}

async function podsOf(kube: KubeClient, deployment: KubeObject, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const { selector } = partOf<{ selector?: { matchLabels?: Readonly<Record<string, string>> } }>(deployment, 'spec');
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const { namespace } = deployment.metadata;
  const target = { apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: labels.join(',') };
  return (await kube.list(target, { signal })).items;
}

/** Why a Deployment is not available, as far as the cluster reports it, and what to do: a line each, the most specific first. */
export async function diagnose(kube: KubeClient, deployment: KubeObject, signal: AbortSignal): Promise<string[]> {
  const pods = await podsOf(kube, deployment, signal);
  const lines = [
    ...deploymentLines(deployment),
    ...pods.flatMap(podLines),
    ...(await eventLines(kube, deployment, signal)),
  ];
  if (lines.length === 0 && pods.length === 0) {
    lines.push('it has no Pods and no Events: is kube-controller-manager running?');
  }
  const advice = advices.filter(({ pattern }) => lines.some((line) => pattern.test(line)));
  return [
    `${describeRef(refOf(deployment))}:`,
    ...lines.map((line) => `  ${line}`),
    ...advice.map((one) => `  → ${one.advice}`),
  ];
}
