import {
  drainRuleResource,
  machineConfigPoolResource,
  machineResource,
  nodeUpdateAnnotations,
} from '../../api/index.ts';
import { isJsonEqual, type JsonValue, TerminalError } from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type Step,
  type Watch,
} from '../../controller/index.ts';
import { drainablePod, isUnschedulable, podTarget } from '../../drain/index.ts';
import { type CacheChange, indexCache, type KubeObject, type NamespacedName } from '../../kube/index.ts';
import { concerned } from '../budget-requests.ts';
import { nodeConditions, nodeNameOf } from '../nodes.ts';
import { checkPermissions } from '../rollout-check/permissions.ts';
import { annotationOf, type DrainTimes, type NodeDrainContext, type NodeDrainRun } from './context.ts';
import { drainNode } from './drain.ts';
import { uncordonNode } from './uncordon.ts';

const nodeTarget = { apiVersion: 'v1', kind: 'Node' } as const;
const namespaceTarget = { apiVersion: 'v1', kind: 'Namespace', isMetadataOnly: true } as const;
const daemonSetTarget = { apiVersion: 'apps/v1', kind: 'DaemonSet', isMetadataOnly: true } as const;
const budgetTarget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' } as const;
const minuteMs = 60_000;

/** The request of the agent that was not met yet. */
function openRequest(node: KubeObject): string | undefined {
  const { desiredDrain, lastAppliedDrain } = nodeUpdateAnnotations;
  const request = annotationOf(node, desiredDrain);
  return request === annotationOf(node, lastAppliedDrain) ? undefined : request;
}

/** The deletion of a machine takes over: it drains the node itself, and the node does not come back. */
function isLeaving({ context, object }: NodeDrainRun): boolean {
  const machines = context.machinesOf.get(object.metadata.name ?? '');
  return machines.some(({ metadata }) => metadata.deletionTimestamp !== undefined);
}

const serve: Step<NodeDrainRun> = async (run, { signal }) => {
  const request = openRequest(run.object);
  if (request === undefined || isLeaving(run)) {
    run.context.drainers.delete(run.object.metadata.uid ?? '');
    return undefined;
  }
  const [verb] = request.split('-', 1);
  if (verb === 'drain' || verb === 'uncordon') {
    await (verb === 'drain' ? drainNode : uncordonNode)(run, request, signal);
    return undefined;
  }
  const { name = '' } = run.object.metadata;
  const message = `node ${name}: non-recognized drain verb detected ${(verb ?? '').slice(0, 100)}`;
  run.context.events.record(run.object, { type: 'Warning', reason: 'UnknownDrainVerb', message });
  throw new TerminalError('UnknownDrainVerb', message);
};

function relevant(node: KubeObject | undefined): JsonValue {
  if (node === undefined) return null;
  const ready = nodeConditions(node).find(({ type }) => type === 'Ready');
  return [openRequest(node) ?? null, isUnschedulable(node), ready?.status ?? null];
}

function watchesOf({ nodes, podsOn }: NodeDrainContext): readonly Watch[] {
  const named = (name: string): readonly NamespacedName[] => {
    const node = nodes.get(name);
    return node === undefined || openRequest(node) === undefined ? [] : [{ namespace: '', name }];
  };
  const waiting = (): readonly NamespacedName[] => nodes.values().flatMap(({ metadata }) => named(metadata.name ?? ''));
  const podChanged = ({ before, after }: CacheChange<KubeObject>): readonly NamespacedName[] => {
    const pod = after ?? before;
    return pod === undefined ? [] : named(drainablePod(pod).nodeName);
  };
  const nodeChanged = ({ before, after }: CacheChange<KubeObject>): readonly NamespacedName[] =>
    isJsonEqual(relevant(before), relevant(after)) ? [] : named(after?.metadata.name ?? '');
  return [
    { target: nodeTarget, requestsFor: nodeChanged },
    { target: podTarget, requestsFor: podChanged },
    { target: budgetTarget, requestsFor: (change) => concerned(waiting(), ({ name }) => name, { podsOn, change }) },
    { target: machineConfigPoolResource, requestsFor: waiting },
    { target: drainRuleResource, requestsFor: waiting },
    {
      target: machineResource,
      requestsFor: ({ before, after }) => named(nodeNameOf(after ?? before ?? ({} as KubeObject))),
      isOptional: true,
    },
  ];
}

/** Cordons, drains and uncordons nodes as their agents request it.
 *  @see docs/spec/machine-lifecycle.md#work-on-one-node */
export const nodeDrainController: ControllerDefinition<NodeDrainContext, NodeDrainRun> = defineController({
  name: 'node-drain',
  // Only nodes with a request, by the watch below: nodes change often.
  for: nodeTarget,
  watches: watchesOf,
  begin: (context, object) => ({ context, object }),
  steps: [serve],
  forget: ({ drainers, nodes }) => {
    const present = new Set(nodes.values().map(({ metadata }) => metadata.uid ?? ''));
    for (const uid of drainers.keys()) if (!present.has(uid)) drainers.delete(uid);
  },
  permissions: {
    cluster: [
      { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch', 'patch'] },
      { apiGroups: [''], resources: ['pods', 'namespaces'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
      { apiGroups: ['apps'], resources: ['daemonsets'], verbs: ['get', 'list', 'watch'] },
      ...checkPermissions,
      { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['drain.platform'], resources: ['drainrules'], verbs: ['get', 'list', 'watch'] },
      {
        apiGroups: ['machineconfiguration.openshift.io'],
        resources: ['machineconfigpools'],
        verbs: ['get', 'list', 'watch'],
      },
      { apiGroups: ['machine.openshift.io'], resources: ['machines'], verbs: ['get', 'list', 'watch'] },
    ],
  },
  isOptional: true,
});

/** Adds the controller of drains that node agents request. */
export function addNodeDrains(manager: Manager, { times }: { readonly times?: Partial<DrainTimes> } = {}): void {
  const { kube, clock } = manager;
  const context: NodeDrainContext = {
    kube,
    clock,
    times: { thresholdMs: 10 * minuteMs, slowRetryMs: 5 * minuteMs, failedMs: 60 * minuteMs, ...times },
    nodes: manager.cache(nodeTarget),
    pools: manager.cache(machineConfigPoolResource),
    namespaces: manager.cache(namespaceTarget),
    daemonSets: manager.cache(daemonSetTarget),
    budgets: manager.cache(budgetTarget),
    drainRules: manager.cache(drainRuleResource),
    podsOn: indexCache(manager.cache(podTarget), (pod) => [drainablePod(pod).nodeName]),
    machinesOf: indexCache(manager.cache(machineResource), (machine) => [nodeNameOf(machine)]),
    events: manager.eventRecorder('machineconfigcontroller-draincontroller'),
    drainers: new Map(),
  };
  manager.add(nodeDrainController, { context, workers: 10 });
}
