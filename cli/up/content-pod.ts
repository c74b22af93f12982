import type { ApiServer } from '../../apiserver/index.ts';
import { errorMessage, type JsonObject, type Logger } from '../../src/base/index.ts';
import { type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';

const name = 'core';
const labels = { app: name };
const partOf = { 'app.kubernetes.io/part-of': 'longshore' };
/** As in the cluster, whatever port the process listens on: a pod's ports cannot be changed. */
const podPort = 8443;
const fieldManager = 'longshore';
const image = 'longshore';

function serviceOf(namespace: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: partOf },
    spec: { selector: labels, ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: podPort }] },
  };
}

/** Meets the pod security level `restricted`. */
function podOf(namespace: string): KubeObject {
  const container = {
    name: 'manager',
    image,
    ports: [{ name: 'https', containerPort: podPort, protocol: 'TCP' }],
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
  const securityContext = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
  const spec = { automountServiceAccountToken: false, securityContext, containers: [container] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels: { ...labels, ...partOf } }, spec };
}

/** What a kubelet would report, where none is simulated. The address is of the range for documentation: nothing is there. */
function runningStatus(now: string): JsonObject {
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: now,
  }));
  const state = { running: { startedAt: now } };
  const container = { name: 'manager', image, imageID: '', ready: true, started: true, restartCount: 0, state };
  const podIP = '192.0.2.1';
  return {
    phase: 'Running',
    conditions,
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: now,
    containerStatuses: [container],
  };
}

async function reportRunning(kube: KubeClient, pod: KubeObject): Promise<void> {
  const body = { status: runningStatus(new Date().toISOString()) };
  await kube.patch(refOf(pod), body, { fieldManager, subresource: 'status' });
}

/** Makes the content server known as the Service and the Pod `core` of the system namespace, where `rukpakctl` and `kubectl port-forward` look for it.
 *  Without them everything else works: a failure is logged. */
export async function publishContentPod(
  { apiServer, kube, log }: { readonly apiServer: ApiServer; readonly kube: KubeClient; readonly log: Logger },
  content: { readonly namespace: string; readonly url: string; readonly isSimulating: boolean },
): Promise<Disposable> {
  const { hostname: host, port } = new URL(content.url);
  try {
    await kube.apply(serviceOf(content.namespace), { fieldManager, force: true });
    const { object: pod } = await kube.apply(podOf(content.namespace), { fieldManager, force: true });
    if (!content.isSimulating) await reportRunning(kube, pod);
    return apiServer.listenForPod(pod.metadata.uid ?? '', new Map([[podPort, { host, port: Number(port) }]]));
  } catch (thrown) {
    const what = `Service and Pod ${content.namespace}/${name}: ${errorMessage(thrown)}`;
    log.warn({ message: what }, 'port-forward does not reach the content server; delete the object and start again');
    return { [Symbol.dispose]: () => {} };
  }
}
