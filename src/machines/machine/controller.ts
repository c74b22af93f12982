import {
  drainRuleResource,
  type Machine,
  machineAnnotations,
  machineFinalizer,
  machineLabels,
  machineResource,
  machineSetResource,
  parseMachine,
} from '../../api/index.ts';
import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue, TerminalError } from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type Step,
  type Watch,
} from '../../controller/index.ts';
import { drainablePod, podTarget } from '../../drain/index.ts';
import {
  type CacheChange,
  hasFinalizer,
  indexCache,
  type KubeObject,
  type NamespacedName,
  namespacedName,
  preconditionOf,
  refOf,
} from '../../kube/index.ts';
import type { Actuator } from '../actuator.ts';
import { concerned } from '../budget-requests.ts';
import { hookConditions, pausedCondition } from '../conditions.ts';
import { machineMetrics } from '../metrics.ts';
import { nodeConditions, nodeNameOf } from '../nodes.ts';
import {
  beginMachine,
  type MachineContext,
  type MachineRun,
  type MachineSettings,
  machineFieldManager,
  record,
  setConditions,
} from './context.ts';
import { removeMachine } from './deletion.ts';
import { isControlPlane } from './node.ts';
import { provision } from './provision.ts';

const nodeTarget = { apiVersion: 'v1', kind: 'Node' } as const;
const namespaceTarget = { apiVersion: 'v1', kind: 'Namespace', isMetadataOnly: true } as const;
const daemonSetTarget = { apiVersion: 'apps/v1', kind: 'DaemonSet', isMetadataOnly: true } as const;
const budgetTarget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' } as const;

/** Another API may manage the machine; then nothing is done here.
 *  @see docs/spec/machine-lifecycle.md#21-fields */
const checkAuthority: Step<MachineRun> = async (run) => {
  await Promise.resolve();
  const authority = run.machine.status?.authoritativeAPI;
  if (authority === undefined) return undefined;
  setConditions(run, [pausedCondition(authority)]);
  return authority === 'MachineAPI' ? undefined : 'stop';
};

function problemsOf({ metadata, spec }: Machine): readonly string[] {
  const problems: string[] = [];
  if ((metadata.labels?.[machineLabels.cluster] ?? '') === '') {
    problems.push(`metadata.labels: Invalid value: missing ${machineLabels.cluster} label.`);
  }
  if (spec?.providerSpec?.value === undefined) {
    problems.push('spec.providerSpec.value: Required value: describes the instance to the provider');
  }
  return problems;
}

/** A machine that is being deleted needs to be no valid one. */
const validate: Step<MachineRun> = async (run) => {
  await Promise.resolve();
  const problems = run.object.metadata.deletionTimestamp === undefined ? problemsOf(run.machine) : [];
  if (problems.length === 0) return;
  const message = `${run.machine.metadata.name}: machine validation failed: ${problems.join(', ')}`;
  record(run, { type: 'Warning', reason: 'FailedValidate', message });
  throw new TerminalError('FailedValidate', message);
};

async function addFinalizer(run: MachineRun, signal: AbortSignal): Promise<void> {
  const { kube, machines } = run.context;
  const { finalizers = [] } = run.object.metadata;
  const metadata = { ...preconditionOf(run.object), finalizers: [...finalizers, machineFinalizer] };
  const written = await kube.patch(refOf(run.object), { metadata }, { fieldManager: machineFieldManager, signal });
  machines.wrote(written);
  run.status.rebase(run, written);
  run.machine = parseMachine(run.object);
}

/** Whether the annotation deletes this machine.
 *  @see docs/spec/machine-lifecycle.md#41-triggers */
function isDeletionRequested({ context, machine }: MachineRun): boolean {
  if (context.settings.deleteAnnotation !== 'Delete') return false;
  const { deleteMachine, oldDeleteMachine } = machineAnnotations;
  const { annotations = {} } = machine.metadata;
  return (annotations[deleteMachine] ?? '') !== '' || (annotations[oldDeleteMachine] ?? '') !== '';
}

const live: Step<MachineRun> = async (run, { signal }) => {
  if (run.object.metadata.deletionTimestamp !== undefined) return undefined;
  if (isDeletionRequested(run)) {
    const message = `Deleted because of the annotation ${machineAnnotations.deleteMachine}`;
    record(run, { type: 'Normal', reason: 'DeleteAnnotation', message });
    await run.context.kube.delete(refOf(run.object), { uid: run.object.metadata.uid, signal });
    return 'stop';
  }
  if (!hasFinalizer(run.object, machineFinalizer)) await addFinalizer(run, signal);
  setConditions(run, hookConditions(run.machine));
  await provision(run, signal);
  return 'stop';
};

const remove: Step<MachineRun> = async (run, { signal }) => {
  await removeMachine(run, signal);
};

function deletingMachines({ machines }: MachineContext): readonly KubeObject[] {
  return machines.values().filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
}

function draining(context: MachineContext): readonly NamespacedName[] {
  return deletingMachines(context).map(namespacedName);
}

/** Machines of nodes, by the name that their status has. */
function createRequests(context: MachineContext): (node: string) => readonly NamespacedName[] {
  const byNode = indexCache(context.machines, (machine) => [nodeNameOf(machine)]);
  return (node) => byNode.names(node);
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** What of a Node a machine depends on; heartbeats are not. */
function relevant(node: KubeObject | undefined): JsonValue {
  if (node === undefined) return null;
  const ready = nodeConditions(node).find(({ type }) => type === 'Ready');
  return [objectOf(node['spec'])['unschedulable'] ?? false, ready?.status ?? null];
}

function watchesOf(context: MachineContext): readonly Watch[] {
  const machinesOf = createRequests(context);
  const podChanged = ({ before, after }: CacheChange<KubeObject>): readonly NamespacedName[] => {
    const object = after ?? before;
    return object === undefined ? [] : machinesOf(drainablePod(object).nodeName);
  };
  const nodeChanged = ({ before, after }: CacheChange<KubeObject>): readonly NamespacedName[] => {
    if (isJsonEqual(relevant(before), relevant(after))) return [];
    const node = after ?? before;
    const own = machinesOf(node?.metadata.name ?? '');
    // One of the control plane that is uncordoned, or gone, lets another one go.
    return node !== undefined && isControlPlane(node) ? [...own, ...draining(context)] : own;
  };
  const budgetChanged = (change: CacheChange<KubeObject>): readonly NamespacedName[] =>
    concerned(deletingMachines(context), nodeNameOf, { podsOn: context.podsOn, change }).map(namespacedName);
  return [
    { target: podTarget, requestsFor: podChanged },
    { target: nodeTarget, requestsFor: nodeChanged },
    { target: budgetTarget, requestsFor: budgetChanged },
    { target: drainRuleResource, requestsFor: () => draining(context) },
  ];
}

/** Brings machines to instances, and takes them away in the order of the machine lifecycle. */
export const machineController: ControllerDefinition<MachineContext, MachineRun> = defineController({
  name: 'machine',
  for: machineResource,
  watches: watchesOf,
  begin: beginMachine,
  steps: [checkAuthority, validate, live, remove],
  forget: ({ drainers, machines }) => {
    const present = new Set(machines.values().map(({ metadata }) => metadata.uid ?? ''));
    for (const uid of drainers.keys()) if (!present.has(uid)) drainers.delete(uid);
  },
  permissions: {
    cluster: [
      {
        apiGroups: ['machine.openshift.io'],
        resources: ['machines'],
        verbs: ['get', 'list', 'watch', 'patch', 'delete'],
      },
      { apiGroups: ['machine.openshift.io'], resources: ['machines/status'], verbs: ['patch'] },
      { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch', 'patch', 'delete'] },
      { apiGroups: [''], resources: ['pods', 'namespaces'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
      { apiGroups: ['apps'], resources: ['daemonsets'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['drain.platform'], resources: ['drainrules'], verbs: ['get', 'list', 'watch'] },
    ],
  },
  isOptional: true,
});

/** Adds the controller of machines, which run on the infrastructure of `actuator`. */
export function addMachines(
  manager: Manager,
  { actuator, settings = {} }: { readonly actuator: Actuator; readonly settings?: MachineSettings },
): void {
  const { kube, clock } = manager;
  const context: MachineContext = {
    kube,
    clock,
    actuator,
    settings,
    machines: manager.cache(machineResource),
    nodes: manager.cache(nodeTarget),
    namespaces: manager.cache(namespaceTarget),
    daemonSets: manager.cache(daemonSetTarget),
    budgets: manager.cache(budgetTarget),
    drainRules: manager.cache(drainRuleResource),
    podsOn: indexCache(manager.cache(podTarget), (pod) => [drainablePod(pod).nodeName]),
    events: manager.eventRecorder('machine-controller'),
    drainers: new Map(),
  };
  const caches = { machines: context.machines, sets: manager.cache(machineSetResource) };
  manager.metrics?.readFrom(() => Promise.resolve(manager.isLeading() ? machineMetrics(caches, clock.now()) : {}));
  manager.add(machineController, { context, workers: 10 });
}
