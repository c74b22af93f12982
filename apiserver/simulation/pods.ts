import { type Clock, isJsonObject, type JsonObject } from '../../src/base/index.ts';
import {
  Appointments,
  type Controller,
  ignoreNotFound,
  objectsIn,
  specOf,
  statusOf,
  typeOf,
} from '../controllers/index.ts';
import type { Cluster, ClusterEvent, KubeObject, ResourceType } from '../core/index.ts';
import { nodeName, SimulatedNodes } from './nodes.ts';
import { reportOnce } from './report-once.ts';
import {
  conditionsFrom,
  isSetToFail,
  keyOf,
  keyText,
  type Observation,
  otherConditions,
  runSecondsAnnotation,
  type SimulationContext,
  shortHash,
  timestampOf,
  writeStatus,
} from './simulated.ts';

const scheduler = 'system:kube-scheduler';

/** Of Helm. */
const hookAnnotation = 'helm.sh/hook';

type Outcome = 'running' | 'crashing' | 'succeeded' | 'failed';

/** Pods of Jobs; and of those that do not restart the hooks of charts, and those with a time to run. */
function isTask(pod: KubeObject): boolean {
  const isOfJob = pod.metadata.ownerReferences?.some(({ kind, controller }) => kind === 'Job' && controller === true);
  const annotations = pod.metadata.annotations ?? {};
  const hasEnd = [runSecondsAnnotation, hookAnnotation].some((key) => annotations[key] !== undefined);
  return isOfJob === true || (hasEnd && specOf(pod).restartPolicy === 'Never');
}

/** In how many milliseconds the pod of a task ends; undefined for pods that run for ever. */
function untilEnd(pod: KubeObject, nowMs: number): number | undefined {
  if (!isTask(pod)) return undefined;
  const text = pod.metadata.annotations?.[runSecondsAnnotation] ?? '0';
  const runMs = /^\d{1,9}(?:\.\d{1,3})?$/.test(text) ? Number(text) * 1000 : 0;
  const { startTime } = statusOf(pod);
  const startMs = typeof startTime === 'string' ? Date.parse(startTime) : nowMs;
  return Math.max(0, startMs + runMs - nowMs);
}

function outcomeOf(pod: KubeObject, nowMs: number): Outcome {
  const leftMs = untilEnd(pod, nowMs);
  if (leftMs === 0) return isSetToFail(pod) ? 'failed' : 'succeeded';
  return leftMs === undefined && isSetToFail(pod) ? 'crashing' : 'running';
}

/** Why a pod whose containers are ready is not ready itself: gates whose conditions another controller has not set to True. */
function gateProblem(pod: KubeObject): string | undefined {
  // Of equal ones the first.
  const conditions = objectsIn(statusOf(pod).conditions).toReversed();
  const statuses = new Map<unknown, unknown>(conditions.map(({ type, status = null }) => [type, status]));
  const messages = objectsIn(specOf(pod).readinessGates).flatMap(({ conditionType }) => {
    const gate = `pod readiness gate ${JSON.stringify(conditionType)}`;
    const status = statuses.get(conditionType);
    if (status === undefined) return [`corresponding condition of ${gate} does not exist.`];
    return status === 'True' ? [] : [`the status of ${gate} is not "True", but ${String(status as string)}`];
  });
  return messages.length === 0 ? undefined : messages.join(', ');
}

function podReady(pod: KubeObject, names: string, outcome: Outcome): Observation {
  const message = outcome === 'running' ? gateProblem(pod) : undefined;
  if (message === undefined) return ready('Ready', names, outcome);
  return { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message };
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
    podReady(pod, names, outcome),
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

/** When the containers came into the state that they are in. */
function sinceOf(old: JsonObject, phase: string, now: string): string {
  const [first] = objectsIn(old.containerStatuses);
  if (old.phase !== phase || first === undefined) return now;
  for (const state of [first.state, first.lastState]) {
    const { running, terminated: ended } = isJsonObject(state) ? state : {};
    for (const part of [running, ended]) {
      if (isJsonObject(part) && typeof part.startedAt === 'string') return part.startedAt;
    }
  }
  return now;
}

function statusFor(pod: KubeObject, nowMs: number): JsonObject {
  const now = timestampOf(nowMs);
  const outcome = outcomeOf(pod, nowMs);
  const observations = observationsOf(pod, outcome);
  const old = statusOf(pod);
  const since = sinceOf(old, phases[outcome], now);
  const ip = addressOf(pod);
  const { podIP: _ip, podIPs: _ips, ...kept } = old;
  return {
    ...kept,
    phase: phases[outcome],
    conditions: [
      ...conditionsFrom(pod, observations, { now, extra: ['lastProbeTime'] }),
      ...otherConditions(pod, observations),
    ],
    hostIP: '127.0.0.1',
    hostIPs: [{ ip: '127.0.0.1' }],
    ...(outcome === 'succeeded' || outcome === 'failed' ? {} : { podIP: ip, podIPs: [{ ip }] }),
    startTime: typeof old.startTime === 'string' ? old.startTime : now,
    containerStatuses: containerStatuses(pod, outcome, since),
    ...(typeof old.qosClass === 'string' ? { qosClass: old.qosClass } : { qosClass: 'BestEffort' }),
  };
}

function isDone(pod: KubeObject): boolean {
  const { phase } = statusOf(pod);
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Pods that another scheduler is to look after, and those held by gates, are left alone. */
function isForOurScheduler(pod: KubeObject): boolean {
  const { schedulerName = 'default-scheduler', schedulingGates } = specOf(pod);
  return schedulerName === 'default-scheduler' && objectsIn(schedulingGates).length === 0;
}

const nodeOf = (pod: KubeObject): string | undefined => {
  const { nodeName: node } = specOf(pod);
  return typeof node === 'string' ? node : undefined;
};

const kubeletOf = (pod: KubeObject): string => `system:node:${nodeOf(pod) ?? nodeName}`;

class PodSimulation implements Controller {
  readonly name = 'simulated-pods';
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #type: ResourceType;
  readonly #nodes: SimulatedNodes;
  readonly #unplaced = new Set<string>();
  #waits: Appointments | undefined;

  constructor({ cluster, clock }: SimulationContext) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#type = typeOf(cluster, 'pods');
    this.#nodes = new SimulatedNodes(cluster);
  }

  start(again: (key: string) => void): Disposable {
    this.#waits = new Appointments(this.#clock, again);
    return this.#waits;
  }

  keysOf(event: ClusterEvent): Iterable<string> {
    const { resource, object, type } = event;
    if (this.#nodes.take(event)) return this.#pending();
    return resource.storageKey === 'pods' && type !== 'DELETED' ? [keyText(object)] : [];
  }

  /** Pods that no Node had room for. */
  #pending(): Iterable<string> {
    const waiting = [...this.#unplaced];
    this.#unplaced.clear();
    return waiting;
  }

  #isOurs(pod: KubeObject): boolean {
    const node = nodeOf(pod);
    return node === undefined ? isForOurScheduler(pod) : this.#nodes.has(node);
  }

  async work(text: string): Promise<void> {
    this.#waits?.set(text, undefined);
    const found = this.#cluster.get(this.#type, keyOf(text));
    if (found === undefined || !this.#isOurs(found)) return;
    if (found.metadata.deletionTimestamp !== undefined) return await this.#end(found);
    if (isDone(found)) return;
    await this.#bind(found);
    const pod = this.#cluster.get(this.#type, keyOf(text));
    if (pod !== undefined && nodeOf(pod) !== undefined) await this.#run(pod);
  }

  async #bind(pod: KubeObject): Promise<void> {
    if (nodeOf(pod) !== undefined) return;
    const placement = this.#nodes.place(specOf(pod));
    if ('problem' in placement) return await this.#leave(pod, placement.problem);
    const binding = { as: scheduler, subresource: 'binding' as const };
    await this.#cluster.patch(this.#type, keyOf(keyText(pod)), { spec: { nodeName: placement.node } }, binding);
  }

  /** It waits for another Node, or for a change of one. */
  async #leave(pod: KubeObject, message: string): Promise<void> {
    this.#unplaced.add(keyText(pod));
    const observations: Observation[] = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    const now = timestampOf(this.#clock.now());
    const conditions = [
      ...conditionsFrom(pod, observations, { now, extra: ['lastProbeTime'] }),
      ...otherConditions(pod, observations),
    ];
    const status = { ...statusOf(pod), phase: 'Pending', conditions };
    await writeStatus(this.#cluster, { type: this.#type, object: pod, as: scheduler }, status);
    const warning = { as: scheduler, component: 'default-scheduler', reason: 'FailedScheduling', message };
    await reportOnce(this.#cluster, pod, warning);
  }

  async #run(pod: KubeObject): Promise<void> {
    const nowMs = this.#clock.now();
    const status = statusFor(pod, nowMs);
    await writeStatus(this.#cluster, { type: this.#type, object: pod, as: kubeletOf(pod) }, status);
    const written = { ...pod, status } as KubeObject;
    this.#waits?.set(keyText(pod), isDone(written) ? undefined : untilEnd(written, nowMs));
  }

  async #end(pod: KubeObject): Promise<void> {
    const { deletionGracePeriodSeconds = 0, uid } = pod.metadata;
    if (deletionGracePeriodSeconds === 0) return;
    const options = { as: kubeletOf(pod), gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }) };
    await ignoreNotFound(this.#cluster.delete(this.#type, keyOf(keyText(pod)), options));
  }
}

/** The scheduler and the kubelet of a Node on which every image exists and every container runs. */
export function podSimulation(context: SimulationContext): Controller {
  return new PodSimulation(context);
}
