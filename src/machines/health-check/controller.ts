import {
  type Machine,
  type MachineHealthCheck,
  machineAnnotations,
  machineHealthCheckResource,
  machineResource,
  parseMachine,
  parseMachineHealthCheck,
} from '../../api/index.ts';
import {
  type Clock,
  errorMessage,
  isSelected,
  type JsonObject,
  type LabelSelector,
  turnTaker,
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
  type EventRecorder,
  formatNamespacedName,
  indexCache,
  isNotFound,
  type KindCache,
  type KubeClient,
  type KubeObject,
  namespacedName,
  preconditionOf,
  refOf,
} from '../../kube/index.ts';
import { withConditions } from '../conditions.ts';
import { nodeNameOf, readNode } from '../nodes.ts';
import { healthOfMachine, type MachineHealth, maxUnhealthyOf, updateEndMs } from './evaluate.ts';

interface CheckContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly checks: KindCache;
  readonly machines: KindCache;
  readonly nodes: KindCache;
  readonly events: EventRecorder;
  /** When machines become unhealthy, by check and uid, as it was reported. */
  readonly waiting: Map<string, ReadonlyMap<string, number>>;
}

interface Target {
  readonly object: KubeObject;
  readonly machine: Machine;
  readonly node: KubeObject | undefined;
  readonly health: MachineHealth;
}

interface CheckRun extends ReconcileRun {
  readonly context: CheckContext;
  readonly check: MachineHealthCheck;
  readonly status: StatusWriter;
  targets: readonly Target[];
}

const fieldManager = 'longshore-machine-health-checks';
const nodeTarget = { apiVersion: 'v1', kind: 'Node' } as const;
const externalStrategy = 'external-baremetal';
/** Machines of a check whose times are known: users may write very many checks for the same machines. */
const maxWaiting = 1_000;
/** A Node that the watch has not shown yet is evaluated after this time, if no change comes before. */
const unseenMs = 1_000;

function targetOf({ context, check }: CheckRun, object: KubeObject): Target {
  const machine = parseMachine(object);
  const node = context.nodes.get(machine.status?.nodeRef?.name ?? '');
  const health = healthOfMachine({ machine, node, nowMs: context.clock.now() }, check.spec ?? {});
  return { object, machine, node, health };
}

const readTargets: Step<CheckRun> = async (run, { signal }) => {
  const { context, object, check } = run;
  if (object.metadata.annotations?.[machineAnnotations.paused] !== undefined) return 'stop';
  if (object.metadata.deletionTimestamp !== undefined) return 'stop';
  const selector = (check.spec?.selector ?? {}) as LabelSelector;
  const targets: Target[] = [];
  const takeTurn = turnTaker(signal);
  for (const machine of context.machines.inNamespace(object.metadata.namespace ?? '')) {
    await takeTurn();
    if (isSelected(selector, machine.metadata.labels ?? {})) targets.push(targetOf(run, machine));
  }
  run.targets = targets;
  return undefined;
};

/** Machines that are on their way out, or whose node is missing, do not count as healthy either. */
function isHealthy({ machine, node, health }: Target): boolean {
  const { deletionTimestamp, annotations = {} } = machine.metadata;
  const isRemediated = annotations[machineAnnotations.externalRemediation] !== undefined;
  return health.state === 'healthy' && node !== undefined && deletionTimestamp === undefined && !isRemediated;
}

/** Namespace, check, machine and Node. */
function placeOf(check: KubeObject, { machine, node }: Target): string {
  const { namespace, name } = machine.metadata;
  return [namespace, check.metadata.name, name, node?.metadata.name].filter(Boolean).join('/');
}

/** Reports machines that become unhealthy at some time unless something changes, once each time. */
function reportWaiting({ context, object, ...run }: CheckRun): void {
  const key = formatNamespacedName(namespacedName(object));
  const before = context.waiting.get(key);
  const now = new Map<string, number>();
  for (const target of run.targets) {
    if (target.health.state !== 'waiting' || now.size >= maxWaiting) continue;
    const { untilMs } = target.health;
    const { uid = '' } = target.object.metadata;
    now.set(uid, untilMs);
    if (before?.get(uid) === untilMs) continue;
    const { name } = target.node?.metadata ?? {};
    const state = name === undefined ? 'no node yet' : `unhealthy node ${name}`;
    const message = `Machine ${placeOf(object, target)} has ${state}`;
    context.events.record(target.object, { type: 'Normal', reason: 'DetectedUnhealthy', message });
  }
  context.waiting.set(key, now);
}

const restrict: Step<CheckRun> = async (run) => {
  await Promise.resolve();
  const { context, check, object, targets } = run;
  const total = targets.length;
  const currentHealthy = targets.filter(isHealthy).length;
  const unhealthy = total - currentHealthy;
  const { maxUnhealthy } = check.spec ?? {};
  const most = maxUnhealthyOf(maxUnhealthy, total);
  const isAllowed = unhealthy <= most;
  const counts = `(total: ${total}, unhealthy: ${unhealthy}, maxUnhealthy: ${String(maxUnhealthy ?? '100%')})`;
  const message = `Remediation is not allowed, the number of not started or unhealthy machines exceeds maxUnhealthy ${counts}`;
  const change = isAllowed
    ? ({ type: 'RemediationAllowed', status: 'True' } as const)
    : ({
        type: 'RemediationAllowed',
        status: 'False',
        severity: 'Warning',
        reason: 'TooManyUnhealthy',
        message,
      } as const);
  const conditions = withConditions(check.status?.conditions ?? [], [change], context.clock.now());
  run.status.setFields(run, {
    expectedMachines: total,
    currentHealthy,
    remediationsAllowed: Math.max(0, most - unhealthy),
    conditions: conditions as unknown as JsonObject[],
  });
  const waits = targets.flatMap(({ health }) => (health.state === 'waiting' ? [health.untilMs] : []));
  if (waits.length > 0) requeueAfter(run, Math.min(...waits) - context.clock.now() + 1);
  reportWaiting(run);
  if (isAllowed) return undefined;
  const text = `Remediation restricted due to exceeded number of unhealthy machines ${counts}`;
  if (targets.some(({ health }) => health.state === 'unhealthy')) {
    context.events.record(object, { type: 'Warning', reason: 'RemediationRestricted', message: text });
  }
  return 'stop';
};

async function markForExternal(run: CheckRun, target: Target, signal: AbortSignal): Promise<void> {
  const { object, machine } = target;
  const { externalRemediation } = machineAnnotations;
  if (machine.metadata.annotations?.[externalRemediation] !== undefined) return;
  const metadata = { ...preconditionOf(object), annotations: { [externalRemediation]: '' } };
  const request = `Requesting external remediation of node associated with machine ${placeOf(run.object, target)}`;
  try {
    const written = await run.context.kube.patch(refOf(object), { metadata }, { fieldManager, signal });
    run.context.machines.wrote(written);
  } catch (thrown) {
    const message = `${request} failed: ${errorMessage(thrown)}`;
    run.context.events.record(object, { type: 'Warning', reason: 'ExternalAnnotationFailed', message });
    throw thrown;
  }
  run.context.events.record(object, { type: 'Normal', reason: 'ExternalAnnotationAdded', message: request });
}

async function deleteMachine(run: CheckRun, target: Target, signal: AbortSignal): Promise<void> {
  const { context } = run;
  const { object, machine } = target;
  const { namespace = '', name, uid } = machine.metadata;
  const place = placeOf(run.object, target);
  try {
    const left = await context.kube.delete({ ...machineResource, namespace, name }, { uid, signal });
    if (left !== undefined) context.machines.wrote(left);
  } catch (thrown) {
    if (isNotFound(thrown)) return;
    const text = `Machine ${place} remediation failed: unable to delete Machine object: ${errorMessage(thrown)}`;
    context.events.record(object, { type: 'Warning', reason: 'MachineDeletionFailed', message: text });
    throw thrown;
  }
  const message = `Machine ${place} has been remediated by requesting to delete Machine object`;
  context.events.record(object, { type: 'Normal', reason: 'MachineDeleted', message });
}

/** For how long an unhealthy machine is left alone: its node is being updated, or the watch has not shown the Node yet. Undefined: it is not. */
async function waitMs(
  { context }: CheckRun,
  { machine, node }: Target,
  signal: AbortSignal,
): Promise<number | undefined> {
  const nowMs = context.clock.now();
  const leftMs = (updateEndMs(machine, node, nowMs) ?? 0) - nowMs;
  if (leftMs > 0) return leftMs;
  if (node !== undefined || machine.status?.phase === 'Failed') return undefined;
  const unseen = await readNode(machine.status?.nodeRef?.name ?? '', { ...context, signal });
  return unseen === undefined ? undefined : unseenMs;
}

async function remediate(run: CheckRun, target: Target, signal: AbortSignal): Promise<void> {
  const { object, machine } = target;
  if (machine.metadata.deletionTimestamp !== undefined) return;
  const leftMs = await waitMs(run, target, signal);
  if (leftMs !== undefined) {
    requeueAfter(run, leftMs);
    return;
  }
  if (machine.metadata.ownerReferences?.some(({ controller }) => controller === true) !== true) {
    const message = `Machine ${placeOf(run.object, target)} has no controller owner, skipping remediation`;
    run.context.events.record(object, { type: 'Normal', reason: 'SkippedNoController', message });
    return;
  }
  const strategy = run.object.metadata.annotations?.[machineAnnotations.remediationStrategy];
  const isExternal = strategy === externalStrategy && machine.status?.phase !== 'Failed';
  await (isExternal ? markForExternal(run, target, signal) : deleteMachine(run, target, signal));
}

const remediateAll: Step<CheckRun> = async (run, { signal }) => {
  for (const target of run.targets) if (target.health.state === 'unhealthy') await remediate(run, target, signal);
};

function watchesOf({ checks, machines }: CheckContext): readonly Watch[] {
  const onNode = indexCache(machines, (machine) => [nodeNameOf(machine)]);
  const checksIn = (namespace: string) => checks.inNamespace(namespace).map(namespacedName);
  return [
    {
      target: machineResource,
      requestsFor: ({ before, after }) => checksIn((after ?? before)?.metadata.namespace ?? ''),
    },
    {
      target: nodeTarget,
      requestsFor: ({ before, after }) => {
        const own = onNode.get((after ?? before)?.metadata.name ?? '');
        return [...new Set(own.map(({ metadata }) => metadata.namespace ?? ''))].flatMap(checksIn);
      },
    },
  ];
}

/** Deletes machines that are unhealthy by the rules of a check, for their sets to replace them. */
export const machineHealthCheckController: ControllerDefinition<CheckContext, CheckRun> = defineController({
  name: 'machinehealthcheck',
  for: machineHealthCheckResource,
  watches: watchesOf,
  gatherMs: 200,
  begin: (context, object): CheckRun => {
    const { kube, clock, checks: cache } = context;
    const status = new StatusWriter(object, { kube, clock, cache, fieldManager });
    return { context, object, check: parseMachineHealthCheck(object), status, targets: [] };
  },
  steps: [readTargets, restrict, remediateAll],
  forget: ({ waiting }, name) => void waiting.delete(formatNamespacedName(name)),
  permissions: {
    cluster: [
      { apiGroups: ['machine.openshift.io'], resources: ['machinehealthchecks'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['machine.openshift.io'], resources: ['machinehealthchecks/status'], verbs: ['patch'] },
      {
        apiGroups: ['machine.openshift.io'],
        resources: ['machines'],
        verbs: ['get', 'list', 'watch', 'patch', 'delete'],
      },
      { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
    ],
  },
  isOptional: true,
});

/** Adds the controller of MachineHealthChecks. */
export function addMachineHealthChecks(manager: Manager): void {
  const { kube, clock } = manager;
  const context: CheckContext = {
    kube,
    clock,
    checks: manager.cache(machineHealthCheckResource),
    machines: manager.cache(machineResource),
    nodes: manager.cache(nodeTarget),
    events: manager.eventRecorder('machinehealthcheck-controller'),
    waiting: new Map(),
  };
  manager.add(machineHealthCheckController, { context, workers: 2 });
}
