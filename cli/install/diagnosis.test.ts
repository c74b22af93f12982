import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeClient, KubeObject, ListTarget } from '../../src/kube/index.ts';
import { diagnose } from './diagnosis.ts';

const { signal } = new AbortController();
const namespace = 'rukpak-system';

const deployment = (conditions: readonly JsonObject[] = []): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'core', namespace },
  spec: { selector: { matchLabels: { app: 'core' } } },
  status: { conditions: [...conditions] },
});

const pod = (status: JsonObject): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'core-1' },
  status,
});

const event = (name: string, reason: string, message: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `${name}.1` },
  involvedObject: { kind: 'Pod', name },
  type: 'Warning',
  reason,
  message,
});

function clusterOf(pods: readonly KubeObject[], events: readonly KubeObject[]): KubeClient {
  const list = async ({
    kind,
    labelSelector,
  }: ListTarget): Promise<{ resourceVersion: string; items: KubeObject[] }> => {
    if (kind === 'Pod') expect(labelSelector).toBe('app=core');
    return { resourceVersion: '1', items: [...(kind === 'Pod' ? pods : events)] };
  };
  return { list } as unknown as KubeClient;
}

const waiting = (reason: string, message: string): JsonObject => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'manager', restartCount: 0, state: { waiting: { reason, message } } }],
});

test.each([
  {
    what: 'an image that can not be pulled',
    pods: [pod(waiting('ImagePullBackOff', 'Back-off pulling image "longshore:0.1.0"'))],
    events: [],
    lines: [
      'pod core-1: container manager waits: ImagePullBackOff: Back-off pulling image "longshore:0.1.0"',
      '→ set an image that the nodes can pull: --image REF',
    ],
  },
  {
    what: 'a Secret that is not there',
    pods: [pod(waiting('ContainerCreating', ''))],
    events: [event('core-1', 'FailedMount', 'MountVolume.SetUp failed: secret "core-cert" not found')],
    lines: [
      'pod core-1: container manager waits: ContainerCreating',
      'event of pod core-1: FailedMount: MountVolume.SetUp failed: secret "core-cert" not found',
      '→ the certificate is not issued yet: by the controllers (overlay self-signed), cert-manager or the service CA; look at the Deployment core, or at the Certificates of the namespace',
    ],
  },
  {
    what: 'a program that ends',
    pods: [
      pod({
        phase: 'Running',
        containerStatuses: [
          {
            name: 'manager',
            restartCount: 3,
            state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s' } },
            lastState: { terminated: { exitCode: 2, reason: 'Error' } },
          },
        ],
      }),
    ],
    events: [event('someone-else', 'Failed', 'not ours')],
    lines: [
      'pod core-1: container manager waits: CrashLoopBackOff: back-off 40s',
      'pod core-1: container manager ended with exit code 2, restarts: 3: Error',
      '→ the container exited: check "kubectl logs" of the Pod',
    ],
  },
  {
    what: 'a cluster without room',
    pods: [
      pod({
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }],
      }),
    ],
    events: [],
    lines: ['pod core-1: Unschedulable: 0/3 nodes', '→ no node can schedule the Pod: see the message'],
  },
  {
    what: 'a cluster where nothing happens',
    pods: [],
    events: [],
    lines: ['it has no Pods and no Events: is kube-controller-manager running?'],
  },
])('$what is reported with advice', async ({ pods, events, lines }) => {
  const [head, ...reported] = await diagnose(clusterOf(pods, events), deployment(), signal);
  expect(head).toBe('Deployment "core" in namespace "rukpak-system":');
  expect(reported).toEqual(lines.map((line) => `  ${line}`));
});

test('refused Pods are reported by the Deployment', async () => {
  const message = 'pods "core-x" is forbidden: violates PodSecurity "restricted:latest"';
  const refused = deployment([{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }]);
  expect(await diagnose(clusterOf([], []), refused, signal)).toEqual([
    'Deployment "core" in namespace "rukpak-system":',
    `  FailedCreate: ${message}`,
    '  → the cluster denies the Pods: see the message',
  ]);
});
