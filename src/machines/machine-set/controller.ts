import {
  type Machine,
  type MachineSet,
  machineResource,
  machineSetResource,
  parseMachine,
  parseMachineSet,
} from '../../api/index.ts';
import {
  type Clock,
  isSelected,
  type JsonObject,
  type LabelSelector,
  mapLimit,
  sha256Digest,
  TerminalError,
  TransientError,
} from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type ReconcileRun,
  requeueAfter,
  StatusWriter,
  type Step,
  type Watch,
} from '../../controller/index.ts';
import {
  type CacheIndex,
  type EventRecorder,
  indexCache,
  isAlreadyExists,
  isNotFound,
  type KindCache,
  type KubeClient,
  type KubeObject,
  namespacedName,
  preconditionOf,
  refOf,
} from '../../kube/index.ts';
import { nodeNameOf, readySinceMs } from '../nodes.ts';
import { machinesToDelete } from './deletion-order.ts';

interface SetContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly sets: KindCache;
  readonly machines: KindCache;
  readonly nodes: KindCache;
  /** Machines by the name of their Node. */
  readonly onNode: CacheIndex;
  readonly events: EventRecorder;
  readonly maxCharacters: number;
}

/** Limits of the controller. */
export interface MachineSetOptions {
  /** Of all machines of a set, as JSON. Default: 32 MiB. */
  readonly maxCharacters?: number;
}

interface SetRun extends ReconcileRun {
  readonly context: SetContext;
  /** Read before its machines were. */
  set: MachineSet;
  readonly status: StatusWriter;
  machines: readonly Machine[];
}

const fieldManager = 'longshore-machine-sets';
const nodeTarget = { apiVersion: 'v1', kind: 'Node' } as const;
/** Machines that are created or deleted in one reconcile; further ones follow in the next. */
const mostAtOnce = 100;
const parallel = 10;
const mebibyte = 1024 * 1024;
/** One write of a set would otherwise fill the API server, and the memory of all who watch machines. A cluster has no more than 5,000 nodes. */
const maxCharactersOfSet = 32 * mebibyte;
/** What a machine counts at least, with its status. */
const leastCharacters = 4 * 1024;
/** Characters of the name of a set in those of its machines, which become names of hosts. */
const maxPrefix = 54;

function controllerOf({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

function selectorOf({ spec }: MachineSet): LabelSelector {
  return (spec?.selector ?? {}) as LabelSelector;
}

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;

const checkSelector: Step<SetRun> = async ({ set, context, object }) => {
  await Promise.resolve();
  const selector = selectorOf(set);
  const labels = set.spec?.template?.metadata?.labels ?? {};
  if (!isEmpty(selector) && isSelected(selector, labels)) return;
  const message = isEmpty(selector)
    ? 'spec.selector: Required value: an empty selector would take all machines of the namespace'
    : 'spec.template.metadata.labels: Invalid value: the selector does not select the machines of the template';
  context.events.record(object, { type: 'Warning', reason: 'ReconcileError', message });
  throw new TerminalError('InvalidSelector', message);
};

async function adopt({ context, object }: SetRun, orphan: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const { apiVersion, kind, metadata } = object;
  const { name = '', uid = '' } = metadata;
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  const ownerReferences = [...(orphan.metadata.ownerReferences ?? []), owner];
  const patch = { metadata: { ...preconditionOf(orphan), ownerReferences } } as unknown as JsonObject;
  return await context.kube.patch(refOf(orphan), patch, { fieldManager, signal });
}

/** Those of `machines` that the set controls, and those that it selects and no one controls. */
async function claimOf(run: SetRun, machines: readonly KubeObject[], signal: AbortSignal): Promise<readonly Machine[]> {
  const { context, object, set } = run;
  const selector = selectorOf(set);
  const owned = machines.filter((machine) => controllerOf(machine) === object.metadata.uid);
  const orphans = machines
    .filter((machine) => controllerOf(machine) === undefined && machine.metadata.deletionTimestamp === undefined)
    .filter(({ metadata }) => isSelected(selector, metadata.labels ?? {}));
  const isDeleting = object.metadata.deletionTimestamp !== undefined;
  const adopted = isDeleting ? [] : await mapLimit(orphans, parallel, (orphan) => adopt(run, orphan, signal));
  for (const machine of adopted) context.machines.wrote(machine);
  return [...owned, ...adopted].map(parseMachine);
}

/** Owner references count within the namespace only. */
const claim: Step<SetRun> = async (run, { signal }) => {
  const { namespace = '' } = run.object.metadata;
  run.machines = await claimOf(run, run.context.machines.inNamespace(namespace), signal);
};

/** The set and the machines as the API server has them: the watch may not have shown those yet that were created just before, nor that the set shall have
 *  them. An instance too many costs money, and may be deleted as the wrong one. */
async function claimLive(run: SetRun, signal: AbortSignal): Promise<void> {
  const { kube } = run.context;
  const { namespace } = run.object.metadata;
  const live = await kube.get(refOf(run.object), { signal });
  if (live.metadata.uid !== run.object.metadata.uid) {
    throw new TransientError('SetReplaced', 'the set was created again');
  }
  run.set = parseMachineSet(live);
  const { items } = await kube.list({ ...machineResource, namespace }, { signal });
  run.machines = await claimOf(run, items, signal);
}

/** The names of the next machines. Two processes that both believe that they lead, and see the same machines of the same set, choose the same names, so
 *  that one of them creates each, whatever is written into the status of the set meanwhile; a machine that comes later has a name of its own. */
function nextNames({ set, machines }: SetRun, count: number): readonly string[] {
  const { name, uid, generation = 0 } = set.metadata;
  const present = machines.map(({ metadata }) => metadata.uid ?? '').toSorted();
  const seen = sha256Digest(JSON.stringify([uid, generation, present]));
  return Array.from({ length: count }, (_, index) => {
    const digest = sha256Digest(JSON.stringify([seen, index]));
    return `${name.slice(0, maxPrefix).replace(/[-.]+$/, '')}-${digest.slice(digest.length - 8)}`;
  });
}

function machineOf({ set, object }: SetRun, name?: string): KubeObject {
  const { metadata, spec } = set.spec?.template ?? {};
  const { apiVersion, kind } = object;
  const { namespace = '', name: setName = '', uid = '' } = object.metadata;
  const owner = { apiVersion, kind, name: setName, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: machineResource.apiVersion,
    kind: machineResource.kind,
    metadata: {
      ...(name === undefined ? {} : { name }),
      generateName: `${setName}-`,
      namespace,
      labels: { ...metadata?.labels },
      annotations: { ...metadata?.annotations },
      ownerReferences: [owner],
    },
    spec: { ...spec } as JsonObject,
  };
}

/** Creates a machine, or finds the one that another process has created.
 *  A name that is taken by a machine of another owner is left to it. */
async function createMachine(run: SetRun, name: string, signal: AbortSignal): Promise<KubeObject> {
  const { kube } = run.context;
  const { namespace } = run.object.metadata;
  try {
    return await kube.create(machineOf(run, name), { fieldManager, signal });
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
    const found = await kube.get({ ...machineResource, namespace, name }, { signal });
    if (controllerOf(found) === run.object.metadata.uid) return found;
    return await kube.create(machineOf(run), { fieldManager, signal });
  }
}

const isStaying = ({ metadata }: Machine): boolean => metadata.deletionTimestamp === undefined;

async function deleteMachine({ context }: SetRun, { metadata }: Machine, signal: AbortSignal): Promise<void> {
  const { namespace, name, uid } = metadata;
  try {
    const left = await context.kube.delete({ ...machineResource, namespace, name }, { uid, signal });
    if (left !== undefined) context.machines.wrote(left);
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}

async function addMachines(run: SetRun, count: number, signal: AbortSignal): Promise<void> {
  const created = await mapLimit(nextNames(run, count), parallel, (name) => createMachine(run, name, signal));
  for (const machine of created) run.context.machines.wrote(machine);
  run.machines = [...run.machines, ...created.map(parseMachine)];
}

async function removeMachines(run: SetRun, count: number, signal: AbortSignal): Promise<void> {
  const { deletePolicy: policy = 'Random' } = run.set.spec ?? {};
  const nowMs = run.context.clock.now();
  const leaving = machinesToDelete(run.machines.filter(isStaying), { count, policy, nowMs });
  await mapLimit(leaving, parallel, (machine) => deleteMachine(run, machine, signal));
  run.machines = run.machines.filter((machine) => !leaving.includes(machine));
}

/** How many machines of its template the set may have. */
function mostMachines(run: SetRun): number {
  return Math.floor(run.context.maxCharacters / Math.max(leastCharacters, JSON.stringify(machineOf(run)).length));
}

/** How many machines the set lacks, those that are being deleted aside: their replacements are created at once. Negative where it has too many. */
function missingOf(run: SetRun): number {
  const { replicas = 1 } = run.set.spec ?? {};
  const count = run.machines.filter(isStaying).length;
  // Those that are there when the template becomes larger stay.
  return count > replicas ? replicas - count : Math.max(0, Math.min(replicas, mostMachines(run)) - count);
}

/** Reports a number of replicas above the limit, once for each generation of the set. */
const checkReplicas: Step<SetRun> = async (run) => {
  await Promise.resolve();
  const { spec: { replicas = 1 } = {}, status, metadata } = run.set;
  const { events, maxCharacters } = run.context;
  if (status?.observedGeneration === metadata.generation) return undefined;
  const most = mostMachines(run);
  if (replicas <= most) return undefined;
  const limit = `the machines of a set have at most ${maxCharacters / mebibyte} MiB, that is ${most} of this template`;
  const message = `spec.replicas: ${replicas} machines are too large together: ${limit}, and no more are created. Lower the number, make the template smaller, or use several sets`;
  events.record(run.object, { type: 'Warning', reason: 'TooManyMachines', message });
  return undefined;
};

const scale: Step<SetRun> = async (run, { signal }) => {
  // Nor may it have shown the mark that the autoscaler sets just before it lowers the number: another machine would go, with the pods that run on it.
  if (missingOf(run) !== 0) await claimLive(run, signal);
  if (run.set.metadata.deletionTimestamp !== undefined) return 'stop';
  const missing = missingOf(run);
  const count = Math.min(Math.abs(missing), mostAtOnce);
  if (missing > 0) await addMachines(run, count, signal);
  if (missing < 0) await removeMachines(run, count, signal);
  if (Math.abs(missing) > mostAtOnce) requeueAfter(run, 0);
  return undefined;
};

function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const equal = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const others = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator.toLowerCase()} (${values.join(',')})`;
  });
  return [...equal, ...others].join(',');
}

const report: Step<SetRun> = async (run) => {
  await Promise.resolve();
  const { context, set, object } = run;
  const staying = run.machines.filter(isStaying);
  const labels = Object.entries(set.spec?.template?.metadata?.labels ?? {});
  const isLabelled = ({ metadata }: Machine): boolean =>
    labels.every(([key, value]) => metadata.labels?.[key] === value);
  const sinceMs = staying.flatMap(({ status }) => {
    const node = context.nodes.get(status?.nodeRef?.name ?? '');
    return node === undefined ? [] : (readySinceMs(node) ?? []);
  });
  const minReadyMs = (set.spec?.minReadySeconds ?? 0) * 1000;
  // Without a time to wait, what the clock showed when a node became ready does not matter.
  const waitMs = minReadyMs === 0 ? [] : sinceMs.map((since) => since + minReadyMs - context.clock.now());
  const next = waitMs.filter((ms) => ms > 0);
  if (next.length > 0) requeueAfter(run, Math.min(...next));
  run.status.setFields(run, {
    replicas: staying.length,
    fullyLabeledReplicas: staying.filter(isLabelled).length,
    readyReplicas: sinceMs.length,
    availableReplicas: sinceMs.length - next.length,
    observedGeneration: object.metadata.generation ?? 0,
    labelSelector: selectorText(selectorOf(set)),
  });
};

function watchesOf({ sets, onNode }: SetContext): readonly Watch[] {
  return [
    {
      target: machineResource,
      // An orphan may belong to any set of its namespace.
      requestsFor: ({ before, after }) => {
        const object = after ?? before;
        if (object === undefined || controllerOf(object) !== undefined) return [];
        return sets.inNamespace(object.metadata.namespace ?? '').map(namespacedName);
      },
    },
    {
      target: nodeTarget,
      requestsFor: ({ before, after }) => {
        const [was, is] = [before, after].map((node) => node && readySinceMs(node));
        if (was === is) return [];
        const machines = onNode.get((after ?? before)?.metadata.name ?? '');
        const owners = new Set(machines.map(controllerOf));
        return sets
          .values()
          .filter(({ metadata }) => owners.has(metadata.uid))
          .map(namespacedName);
      },
    },
  ];
}

/** Keeps the number of machines of each set. */
export const machineSetController: ControllerDefinition<SetContext, SetRun> = defineController({
  name: 'machineset',
  for: machineSetResource,
  owns: [machineResource],
  watches: watchesOf,
  begin: (context, object): SetRun => {
    const { kube, clock, sets: cache } = context;
    const status = new StatusWriter(object, { kube, clock, cache, fieldManager });
    return { context, object, set: parseMachineSet(object), status, machines: [] };
  },
  steps: [checkSelector, checkReplicas, claim, scale, report],
  permissions: {
    cluster: [
      { apiGroups: ['machine.openshift.io'], resources: ['machinesets'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['machine.openshift.io'], resources: ['machinesets/status'], verbs: ['patch'] },
      { apiGroups: ['machine.openshift.io'], resources: ['machinesets/finalizers'], verbs: ['update'] },
      {
        apiGroups: ['machine.openshift.io'],
        resources: ['machines'],
        verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      },
      { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
    ],
  },
  isOptional: true,
});

/** Adds the controller of MachineSets. */
export function addMachineSets(manager: Manager, { maxCharacters = maxCharactersOfSet }: MachineSetOptions = {}): void {
  const { kube, clock } = manager;
  const machines = manager.cache(machineResource);
  const context: SetContext = {
    kube,
    clock,
    machines,
    sets: manager.cache(machineSetResource),
    nodes: manager.cache(nodeTarget),
    onNode: indexCache(machines, (machine) => [nodeNameOf(machine)]),
    events: manager.eventRecorder('machineset-controller'),
    maxCharacters,
  };
  manager.add(machineSetController, { context, workers: 4 });
}
