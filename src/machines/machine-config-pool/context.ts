import { type MachineConfigPool, parseMachineConfigPool } from '../../api/index.ts';
import { type Clock, isJsonObject } from '../../base/index.ts';
import { type ReconcileRun, StatusWriter } from '../../controller/index.ts';
import type {
  CacheIndex,
  EventRecorder,
  KindCache,
  KubeClient,
  KubeObject,
  ListTarget,
  ObjectEvent,
} from '../../kube/index.ts';
import type { QuorumProvider } from '../quorum/provider.ts';
import type { CanaryState } from './canary.ts';
import type { Hold } from './hold.ts';
import { poolOfNode, readPools } from './membership.ts';
import { type PoolNode, poolNode } from './pool-node.ts';

/** Behavior of pools that differs between installations. */
export interface PoolSettings {
  /** Version of this program, noted in what it renders. */
  readonly version: string;
  /** Version of the release that the cluster runs, noted in what is rendered; empty where there is none. */
  readonly releaseVersion?: string | undefined;
  /** etcd of the control plane: nodes of the pool `master` are started while it keeps its quorum. Absent: not known. */
  readonly etcd?: QuorumProvider | undefined;
  /** Changes within this time lead to one round. Default 5 s. */
  readonly delayMs?: number | undefined;
}

export interface PoolContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly settings: PoolSettings;
  readonly pools: KindCache;
  /** Whole ones, but rendered ones without their content. */
  readonly configs: KindCache;
  readonly nodes: KindCache;
  readonly machines: KindCache;
  /** Machines by the name of their node. */
  readonly machinesOf: CacheIndex;
  readonly pods: KindCache;
  /** Pods by the name of their node. */
  readonly podsOn: CacheIndex;
  readonly budgets: KindCache;
  readonly daemonSets: KindCache;
  readonly namespaces: KindCache;
  readonly drainRules: KindCache;
  /** False where the cluster does not serve Machines: nodes whose machines are being deleted are not known then. */
  hasMachines: boolean;
  readonly events: EventRecorder;
}

/** A round of a pool. */
export interface PoolRun extends ReconcileRun {
  readonly context: PoolContext;
  readonly status: StatusWriter;
  /** `object`, read. */
  pool: MachineConfigPool;
  nodes: readonly PoolNode[];
  /** Why no node is started. */
  hold?: Hold;
  /** How far the first nodes are, where the pool has a canary. */
  canary?: CanaryState;
}

export const poolFieldManager = 'longshore-pools';

const renderedPrefix = 'rendered-';

function withoutContent(object: KubeObject): KubeObject {
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  const { kubernetesVersion } = spec;
  return { ...object, spec: kubernetesVersion === undefined ? {} : { kubernetesVersion } };
}

/** MachineConfigs as the controller of pools reads them: rendered ones may be large, and are many. */
export const configTarget: ListTarget = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfig',
  projection: {
    name: 'machine-config-sources',
    of: (object) => (object.metadata.name?.startsWith(renderedPrefix) === true ? withoutContent(object) : object),
  },
};

/** The nodes of a pool.
 *  @see docs/spec/machine-lifecycle.md#objects */
export function nodesOf(context: PoolContext, pool: MachineConfigPool): readonly PoolNode[] {
  const all = readPools(context);
  const own = context.nodes.values().filter((node) => poolOfNode(node, all)?.metadata.name === pool.metadata.name);
  return own.map((node) => {
    const machines = context.machinesOf.get(node.metadata.name ?? '');
    return poolNode(node, { isLeaving: machines.some(({ metadata }) => metadata.deletionTimestamp !== undefined) });
  });
}

/** Starts a round. */
export function beginRound(context: PoolContext, object: KubeObject): PoolRun {
  const { kube, clock, pools: cache, events } = context;
  const status = new StatusWriter<PoolRun>(object, {
    kube,
    clock,
    cache,
    events,
    fieldManager: poolFieldManager,
    hasGenerations: false,
    continueWith: (run, written) => {
      run.pool = parseMachineConfigPool(written);
      return written;
    },
  });
  return {
    context,
    object,
    pool: parseMachineConfigPool(object),
    status: status as unknown as StatusWriter,
    nodes: [],
  };
}

/** The name of the configuration that nodes are updated to; empty as long as there is none. */
export function targetOf({ spec }: MachineConfigPool): string {
  return spec.configuration?.name ?? '';
}

/** Records an Event about the pool. */
export function recordPool({ context, object }: PoolRun, event: ObjectEvent): void {
  context.events.record(object, event);
}
