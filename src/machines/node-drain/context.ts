import { nodeUpdateAnnotations } from '../../api/index.ts';
import type { Clock } from '../../base/index.ts';
import type { ReconcileRun } from '../../controller/index.ts';
import type { Drainer } from '../../drain/index.ts';
import {
  type CacheIndex,
  type EventRecorder,
  type KindCache,
  type KubeClient,
  type KubeObject,
  preconditionOf,
  refOf,
} from '../../kube/index.ts';

/** Times of drains.
 *  @see docs/spec/machine-lifecycle.md#work-on-one-node */
export interface DrainTimes {
  /** A drain that failed so long is reported, and tried again less often. Default 10 minutes. */
  readonly thresholdMs: number;
  /** How often it is tried then. Default 5 minutes. */
  readonly slowRetryMs: number;
  /** A drain that failed so long has failed; it is tried all the same. Default 1 hour. */
  readonly failedMs: number;
}

export interface NodeDrainContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly times: DrainTimes;
  readonly nodes: KindCache;
  readonly pools: KindCache;
  readonly namespaces: KindCache;
  readonly daemonSets: KindCache;
  readonly budgets: KindCache;
  readonly drainRules: KindCache;
  /** Pods by the name of their node. */
  readonly podsOn: CacheIndex;
  /** Machines by the name of their node. */
  readonly machinesOf: CacheIndex;
  readonly events: EventRecorder;
  /** By the uid of the Node. */
  readonly drainers: Map<string, Drainer>;
}

/** A reconcile of a Node that its agent wants to be drained or uncordoned. */
export interface NodeDrainRun extends ReconcileRun {
  readonly context: NodeDrainContext;
}

export const nodeDrainFieldManager = 'longshore-node-drain';
/** Who cordons, in the annotation of the Node. */
export const nodeDrainActor = 'node-update';

/** An annotation of the Node; empty where there is none. */
export function annotationOf({ metadata }: KubeObject, key: string): string {
  return metadata.annotations?.[key] ?? '';
}

/** Writes annotations; null removes one. Writes nothing if they are so already.
 *  @throws KubeUnavailable Conflict when the Node changed meanwhile */
export async function annotate(
  run: NodeDrainRun,
  annotations: Readonly<Record<string, string | null>>,
  signal: AbortSignal,
): Promise<void> {
  const { kube, nodes } = run.context;
  const isSame = Object.entries(annotations).every(([key, value]) => annotationOf(run.object, key) === (value ?? ''));
  if (isSame) return;
  const metadata = { ...preconditionOf(run.object), annotations };
  const written = await kube.patch(refOf(run.object), { metadata }, { fieldManager: nodeDrainFieldManager, signal });
  nodes.wrote(written);
  run.object = written;
}

/** Since when the present request is being worked on; noted on the Node, so that a restart does not forget it. */
export async function startedMs(run: NodeDrainRun, signal: AbortSignal): Promise<number> {
  const { requestStarted, desiredDrain } = nodeUpdateAnnotations;
  const request = annotationOf(run.object, desiredDrain);
  const [time = '', ...rest] = annotationOf(run.object, requestStarted).split(' ');
  const noted = Date.parse(time);
  if (rest.join(' ') === request && !Number.isNaN(noted)) return noted;
  const nowMs = run.context.clock.now();
  await annotate(run, { [requestStarted]: `${new Date(nowMs).toISOString()} ${request}` }, signal);
  return nowMs;
}
