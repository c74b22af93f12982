import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { type Controller, objectsIn, specOf, statusOf, typeOf, unlessGone } from '../controllers/controller.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import {
  conditionsFrom,
  isToldToFail,
  keyOf,
  keyText,
  type Observation,
  type SimulationContext,
  shortHash,
  writeStatus,
} from './simulated.ts';

/** Name of the one Node there is. */
export const nodeName = 'longshore';
const kubelet = `system:node:${nodeName}`;
const scheduler = 'system:kube-scheduler';

type Outcome = 'running' | 'crashing' | 'succeeded' | 'failed';

function outcomeOf(pod: KubeObject): Outcome {
  const isTask = pod.metadata.ownerReferences?.some(({ kind, controller }) => kind === 'Job' && controller === true);
  if (isTask === true) return isToldToFail(pod) ? 'failed' : 'succeeded';
  return isToldToFail(pod) ? 'crashing' : 'running';
}

function ready(type: string, names: string, outcome: Outcome): Observation {
  if (outcome === 'running') return { type, status: 'True' };
  if (outcome === 'succeeded') return { type, status: 'False', reason: 'PodCompleted' };
  if (outcome === 'failed') return { type, status: 'False', reason: 'PodFailed' };
  return { type, status: 'False', reason: 'ContainersNotReady', message: `containers with unready status: [${names}]` };
}

function observationsOf(pod: KubeObject, outcome: Outcome): Observation[] {
  const names = objectsIn(specOf(pod).containers)
    .map(({ name }) => (typeof name === 'string' ? name : ''))
    .join(' ');
  return [
    { type: 'PodReadyToStartContainers', status: 'True' },
    { type: 'Initialized', status: 'True' },
    ready('Ready', names, outcome),
    ready('ContainersReady', names, outcome),
    { type: 'PodScheduled', status: 'True' },
  ];
}

function terminated(reason: string, exitCode: number, at: string): JsonObject {
  return { terminated: { exitCode, reason, startedAt: at, finishedAt: at } };
}

function stateOf(
  pod: KubeObject,
  outcome: Outcome,
  details: { readonly container: string; readonly since: string },
): JsonObject {
  const { container, since } = details;
  switch (outcome) {
    case 'running':
      return { state: { running: { startedAt: since } }, lastState: {} };
    case 'succeeded':
      return { state: terminated('Completed', 0, since), lastState: {} };
    case 'failed':
      return { state: terminated('Error', 1, since), lastState: {} };
    case 'crashing': {
      const { namespace = '', name = '', uid = '' } = pod.metadata;
      const message = `back-off 10s restarting failed container=${container} pod=${name}_${namespace}(${uid})`;
      return { state: { waiting: { reason: 'CrashLoopBackOff', message } }, lastState: terminated('Error', 1, since) };
    }
  }
}

function containerStatuses(pod: KubeObject, outcome: Outcome, since: string): JsonObject[] {
  return objectsIn(specOf(pod).containers).map((container) => {
    const name = typeof container.name === 'string' ? container.name : '';
    const image = typeof container.image === 'string' ? container.image : '';
    const id = shortHash([pod.metadata.uid ?? '', name]);
    return {
      name,
      ...stateOf(pod, outcome, { container: name, since }),
      ready: outcome === 'running',
      started: outcome === 'running',
      restartCount: outcome === 'crashing' ? 1 : 0,
      image,
      imageID: `simulated://${shortHash(image)}`,
      containerID: `simulated://${id}`,
    };
  });
}

const phases: Readonly<Record<Outcome, string>> = {
  running: 'Running',
  crashing: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
};

/** An address out of 10.244.0.0/16 that stays with the pod. */
function addressOf({ metadata }: KubeObject): string {
  const text = shortHash(metadata.uid ?? '');
  const [a, b, c] = [text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2)];
  return `10.244.${(a * 7) % 256}.${1 + ((b * 31 + c) % 253)}`;
}

function statusFor(pod: KubeObject, now: string): JsonObject {
  const outcome = outcomeOf(pod);
  const old = statusOf(pod);
  const isSame = old.phase === phases[outcome] && Array.isArray(old.containerStatuses);
  const since = isSame && typeof old.startTime === 'string' ? old.startTime : now;
  const ip = addressOf(pod);
  return {
    phase: phases[outcome],
    conditions: conditionsFrom(pod, observationsOf(pod, outcome), { now, extra: ['lastProbeTime'] }),
    hostIP: '127.0.0.1',
    hostIPs: [{ ip: '127.0.0.1' }],
    ...(outcome === 'succeeded' || outcome === 'failed' ? {} : { podIP: ip, podIPs: [{ ip }] }),
    startTime: since,
    containerStatuses: containerStatuses(pod, outcome, since),
    ...(typeof old.qosClass === 'string' ? { qosClass: old.qosClass } : { qosClass: 'BestEffort' }),
  };
}

function isDone(pod: KubeObject): boolean {
  const { phase } = statusOf(pod);
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Pods that another scheduler or another node is to look after, and those held by gates, are left alone. */
function isForOurNode(pod: KubeObject): boolean {
  const { nodeName: node, schedulerName = 'default-scheduler', schedulingGates } = specOf(pod);
  if (typeof node === 'string') return node === nodeName;
  return schedulerName === 'default-scheduler' && objectsIn(schedulingGates).length === 0;
}

/** The scheduler and the kubelet of a Node on which every image exists and every container runs. */
export function podSimulation(context: SimulationContext): Controller {
  const { cluster } = context;
  const type = typeOf(cluster, 'pods');
  const bind = async (pod: KubeObject): Promise<void> => {
    if (typeof specOf(pod).nodeName === 'string') return;
    await cluster.patch(type, keyOf(keyText(pod)), { spec: { nodeName } }, { as: scheduler, subresource: 'binding' });
  };
  return {
    name: 'simulated-pods',
    keysOf: ({ resource, object, type: change }) =>
      resource.storageKey === 'pods' && change !== 'DELETED' ? [keyText(object)] : [],
    work: async (text) => {
      const key = keyOf(text);
      const found = cluster.get(type, key);
      if (found === undefined || !isForOurNode(found)) return;
      const { deletionTimestamp, deletionGracePeriodSeconds = 0, uid } = found.metadata;
      if (deletionTimestamp !== undefined) {
        if (deletionGracePeriodSeconds === 0) return;
        const options = { as: kubelet, gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }) };
        await unlessGone(cluster.delete(type, key, options));
        return;
      }
      if (isDone(found)) return;
      await bind(found);
      const pod = cluster.get(type, key);
      if (pod !== undefined && isJsonObject(pod.spec)) {
        await writeStatus(cluster, { type, object: pod, as: kubelet }, statusFor(pod, context.now()));
      }
    },
  };
}
