import {
  drainRuleResource,
  machineConfigPoolResource,
  machineResource,
  nodeUpdateAnnotations,
  parseMachineConfigPool,
  poolNames,
  rolloutGates,
} from '../../api/index.ts';
import {
  isJsonEqual,
  type JsonObject,
  type JsonValue,
  type LabelSelector,
  objectAt,
  TerminalError,
} from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type Step,
  type Watch,
} from '../../controller/index.ts';
import { drainablePod, podTarget } from '../../drain/index.ts';
import { type CacheChange, indexCache, type KubeObject, type NamespacedName, NoKindMatch } from '../../kube/index.ts';
import { nodeNameOf } from '../nodes.ts';
import { checkPermissions } from '../rollout-check/permissions.ts';
import {
  beginRound,
  configTarget,
  nodesOf,
  type PoolContext,
  type PoolRun,
  type PoolSettings,
  recordPool,
  targetOf,
} from './context.ts';
import { isEmptySelector, poolsOfNode, readPools } from './membership.ts';
import { poolMetrics } from './metrics.ts';
import { poolNode } from './pool-node.ts';
import { renderPool } from './render.ts';
import { reportRollout } from './report-rollout.ts';
import { startNodes } from './start-nodes.ts';
import { countNodes, isPoolUpdated, poolConditions } from './status.ts';

const nodeTarget = { apiVersion: 'v1', kind: 'Node' } as const;
const namespaceTarget = { apiVersion: 'v1', kind: 'Namespace', isMetadataOnly: true } as const;
const daemonSetTarget = { apiVersion: 'apps/v1', kind: 'DaemonSet', isMetadataOnly: true } as const;
const budgetTarget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' } as const;
const delayMs = 5_000;

/** A pool without a target waits; one that would select every node does nothing. */
const readNodes: Step<PoolRun> = async (run) => {
  await Promise.resolve();
  const { nodeSelector } = run.pool.spec;
  if (targetOf(run.pool) === '') return 'stop';
  if (nodeSelector !== undefined && isEmptySelector(nodeSelector as LabelSelector)) {
    const message = 'This machineconfigpool is selecting all nodes. A non-empty selector is required.';
    recordPool(run, { type: 'Warning', reason: 'SelectingAll', message });
    return 'stop';
  }
  run.nodes = nodesOf(run.context, run.pool);
  if (!run.context.hasMachines) {
    const message =
      'the kind Machine (machine.openshift.io/v1beta1) is not served: nodes of machines that are being deleted are not recognized. Apply the definitions of machines, then start the controllers again.';
    recordPool(run, { type: 'Warning', reason: 'NoMachineKind', message });
  }
  return undefined;
};

/** What is wrong with the pool stops new nodes; its status is written all the same. */
const start: Step<PoolRun> = async (run, context) => {
  try {
    await startNodes(run, context);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    run.hold = { kind: 'invalid', gate: 'spec', message: thrown.message };
    recordPool(run, { type: 'Warning', reason: thrown.reason, message: thrown.message });
  }
};

function isTrue({ object }: PoolRun, type: string): boolean {
  const { conditions = [] } = parseMachineConfigPool(object).status ?? {};
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

const report: Step<PoolRun> = async (run) => {
  await Promise.resolve();
  const { pool, nodes } = run;
  const target = targetOf(pool);
  const counts = countNodes(nodes, target);
  const facts = {
    target,
    nodes,
    isPaused: pool.spec.paused === true,
    hold: run.hold?.message,
    isRenderDegraded: isTrue(run, 'RenderDegraded'),
  };
  run.status.set(run, poolConditions(facts, counts));
  const { generation = 0 } = run.object.metadata;
  run.status.setFields(run, { ...counts, observedGeneration: generation });
  reportRollout(run);
  const configuration = pool.spec.configuration as JsonObject | undefined;
  if (!isPoolUpdated(counts) || configuration === undefined) return;
  const old = (pool.status?.configuration ?? {}) as JsonObject;
  if (isJsonEqual(old, configuration)) return;
  run.status.setFields(run, { configuration });
  if (old['name'] === target) return;
  const message = `Pool ${pool.metadata.name} has completed update to MachineConfig ${target}`;
  run.status.event({ type: 'Normal', reason: 'Completed', message });
};

const watchedAnnotations: readonly string[] = [
  nodeUpdateAnnotations.currentConfig,
  nodeUpdateAnnotations.desiredConfig,
  nodeUpdateAnnotations.state,
  nodeUpdateAnnotations.reason,
  nodeUpdateAnnotations.currentImage,
  nodeUpdateAnnotations.desiredImage,
];

/** What of a Node a round depends on; heartbeats are not. */
function relevant(node: KubeObject | undefined): JsonValue {
  if (node === undefined) return null;
  const { labels = {}, annotations = {} } = node.metadata;
  const taints = objectAt(node as unknown as JsonObject, 'spec')?.['taints'] ?? [];
  const own = watchedAnnotations.map((key) => annotations[key] ?? null);
  return [poolNode(node).unreadiness ?? null, { ...labels }, taints, own];
}

function isConfigured(node: KubeObject): boolean {
  const { current, desired } = poolNode(node);
  return current === desired;
}

function changeText(before: KubeObject, after: KubeObject, key: string): string | undefined {
  const [old, value] = [before, after].map(({ metadata }) => metadata.annotations?.[key]);
  if (old === value) return undefined;
  const { name = '' } = after.metadata;
  return value === undefined ? `Node ${name} no longer has ${key}` : `Node ${name} now has ${key}=${value}`;
}

/** Changes of the control plane are important enough to be Events. */
function reportChanges({ events, pools }: PoolContext, { before, after }: CacheChange<KubeObject>): void {
  const master = pools.get(poolNames.master);
  if (before === undefined || after === undefined || master === undefined) return;
  // What an agent completes shows in the status.
  if (!isConfigured(before) && poolNode(after).isDone) return;
  const texts = watchedAnnotations.map((key) => changeText(before, after, key)).filter((text) => text !== undefined);
  for (const message of texts) events.record(master, { type: 'Normal', reason: 'AnnotationChange', message });
}

function poolNamesOf(context: PoolContext, node: KubeObject | undefined): readonly string[] {
  if (node === undefined) return [];
  const pools = readPools(context);
  try {
    return poolsOfNode(node, pools).map(({ metadata }) => metadata.name);
  } catch {
    return pools.map(({ metadata }) => metadata.name);
  }
}

function watchesOf(context: PoolContext): readonly Watch[] {
  const all = (): readonly NamespacedName[] =>
    context.pools.values().map(({ metadata }) => ({ namespace: '', name: metadata.name ?? '' }));
  const nodeChanged = (change: CacheChange<KubeObject>): readonly NamespacedName[] => {
    const { before, after } = change;
    if (isJsonEqual(relevant(before), relevant(after))) return [];
    const names = new Set([...poolNamesOf(context, before), ...poolNamesOf(context, after)]);
    if (names.has(poolNames.master)) reportChanges(context, change);
    // A node of the control plane, or its arbiter, may have waited for the other.
    if (names.has(poolNames.master)) names.add(poolNames.arbiter);
    if (names.has(poolNames.arbiter)) names.add(poolNames.master);
    return [...names].map((name) => ({ namespace: '', name }));
  };
  const machineChanged = ({ before, after }: CacheChange<KubeObject>): readonly NamespacedName[] => {
    const isLeaving = (object: KubeObject | undefined): boolean => object?.metadata.deletionTimestamp !== undefined;
    if (isLeaving(before) === isLeaving(after) && after !== undefined) return [];
    return poolNamesOf(context, context.nodes.get(nodeNameOf(after ?? before ?? ({} as KubeObject)))).map((name) => ({
      namespace: '',
      name,
    }));
  };
  const heldByBudgets = (): readonly NamespacedName[] =>
    readPools(context)
      .filter(({ status }) => status?.rollout?.hold?.gate === rolloutGates.budgets)
      .map(({ metadata: { name } }) => ({ namespace: '', name }));
  // They are read when nodes are to start, and have to be known by then.
  const none = (): readonly NamespacedName[] => [];
  return [
    { target: nodeTarget, requestsFor: nodeChanged },
    { target: machineResource, requestsFor: machineChanged, isOptional: true },
    { target: configTarget, requestsFor: all },
    { target: budgetTarget, requestsFor: heldByBudgets },
    { target: podTarget, requestsFor: none },
    { target: namespaceTarget, requestsFor: none },
    { target: daemonSetTarget, requestsFor: none },
    { target: drainRuleResource, requestsFor: none, isOptional: true },
  ];
}

/** Renders the configurations of pools, and updates their nodes: as many at a time as a pool allows. */
export const machineConfigPoolController: ControllerDefinition<PoolContext, PoolRun> = defineController({
  name: 'machineconfigpool',
  for: machineConfigPoolResource,
  watches: watchesOf,
  gatherMs: delayMs,
  begin: beginRound,
  steps: [renderPool, readNodes, start, report],
  permissions: {
    cluster: [
      {
        apiGroups: ['machineconfiguration.openshift.io'],
        resources: ['machineconfigpools'],
        verbs: ['get', 'list', 'watch', 'patch'],
      },
      {
        apiGroups: ['machineconfiguration.openshift.io'],
        resources: ['machineconfigpools/status', 'machineconfigpools/finalizers'],
        verbs: ['patch', 'update'],
      },
      {
        apiGroups: ['machineconfiguration.openshift.io'],
        resources: ['machineconfigs'],
        verbs: ['get', 'list', 'watch', 'create', 'patch'],
      },
      {
        apiGroups: ['machine.openshift.io'],
        resources: ['machines'],
        verbs: ['get', 'list', 'watch', 'patch', 'delete'],
      },
      { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch', 'patch'] },
      { apiGroups: [''], resources: ['pods', 'namespaces'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['apps'], resources: ['daemonsets'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['drain.platform'], resources: ['drainrules'], verbs: ['get', 'list', 'watch'] },
      ...checkPermissions,
    ],
  },
  isOptional: true,
});

/** Adds the controller of MachineConfigPools. */
export function addMachineConfigPools(manager: Manager, settings: PoolSettings): void {
  const { kube, clock } = manager;
  const [machines, pods] = [manager.cache(machineResource), manager.cache(podTarget)];
  const context: PoolContext = {
    kube,
    clock,
    settings,
    pools: manager.cache(machineConfigPoolResource),
    configs: manager.cache(configTarget),
    nodes: manager.cache(nodeTarget),
    machines,
    machinesOf: indexCache(machines, (machine) => [nodeNameOf(machine)]),
    pods,
    podsOn: indexCache(pods, (pod) => [drainablePod(pod).nodeName]),
    budgets: manager.cache(budgetTarget),
    daemonSets: manager.cache(daemonSetTarget),
    namespaces: manager.cache(namespaceTarget),
    drainRules: manager.cache(drainRuleResource),
    hasMachines: true,
    events: manager.eventRecorder('machineconfigcontroller-nodecontroller'),
  };
  machines.whenSynced.catch((thrown: unknown) => {
    if (thrown instanceof NoKindMatch) context.hasMachines = false;
  });
  manager.metrics?.readFrom(() => Promise.resolve(manager.isLeading() ? poolMetrics(context) : {}));
  const definition = { ...machineConfigPoolController, gatherMs: settings.delayMs ?? delayMs };
  // One at a time: pools of a control plane and its arbiter decide on what the other one has started.
  manager.add(definition, { context, workers: 1 });
}
