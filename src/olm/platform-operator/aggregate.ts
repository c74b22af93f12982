import { parsePlatformOperator, platformOperatorResource } from '../../api/index.ts';
import { type Clock, type JsonObject, objectsAt } from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileRun,
  StatusWriter,
  type Step,
} from '../../controller/index.ts';
import {
  type Condition,
  conditionsOf,
  groupOf,
  isNotFound,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type NamespacedName,
  NoKindMatch,
} from '../../kube/index.ts';
import { fieldManager } from './context.ts';

/** The object that reports the state of all PlatformOperators together. The cluster version operator creates it. */
const aggregateRef = {
  apiVersion: 'config.openshift.io/v1',
  kind: 'ClusterOperator',
  name: 'platform-operators-aggregated',
} as const;

const aggregateResource = { apiGroups: [groupOf(aggregateRef.apiVersion)], resourceNames: [aggregateRef.name] };

interface DesiredCondition {
  readonly type: 'Available' | 'Progressing' | 'Degraded';
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

function standing(
  isAvailable: boolean,
  isProgressing: boolean,
  why: Pick<DesiredCondition, 'reason' | 'message'>,
): DesiredCondition[] {
  const nothing = { reason: '', message: '' };
  return [
    { type: 'Available', status: isAvailable ? 'True' : 'False', ...why },
    { type: 'Progressing', status: isProgressing ? 'True' : 'False', ...nothing },
    { type: 'Degraded', status: 'False', ...nothing },
  ];
}

/** What is reported before anything is known. */
export const startConditions: readonly DesiredCondition[] = standing(false, true, { reason: '', message: '' });

function failureOf(object: KubeObject): string | undefined {
  const { metadata, status } = parsePlatformOperator(object);
  const installed = status?.conditions?.find(({ type }) => type === 'Installed');
  if (installed?.status === 'True') return undefined;
  const reason = installed?.reason ?? 'InstallPending';
  return `encountered the failing ${metadata.name} platform operator with reason "${reason}"`;
}

/** The conditions that report the state of all PlatformOperators together.
 *  @see docs/spec/olm-v0.md#aggregated-clusteroperator */
export function aggregateConditions(operators: readonly KubeObject[]): readonly DesiredCondition[] {
  const reason = 'AsExpected';
  if (operators.length === 0) {
    return standing(true, false, { reason, message: 'No platform operators are present in the cluster' });
  }
  const failures = operators.flatMap((operator) => failureOf(operator) ?? []).toSorted();
  if (failures.length === 0) {
    return standing(true, false, { reason, message: 'All platform operators are in a successful state' });
  }
  const message = failures.length === 1 ? failures.join('') : `[${failures.join(', ')}]`;
  return standing(false, true, { reason: 'PlatformOperatorError', message });
}

/** What the aggregate is written with. */
export interface AggregateContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly operators: KindCache;
  readonly systemNamespace: string;
  readonly version: string;
}

interface AggregateRun extends ReconcileRun {
  readonly context: AggregateContext;
  readonly status: StatusWriter;
}

/** A cluster that has no such object, or no such kind, is left alone. */
async function readAggregate({ kube }: AggregateContext, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await kube.get(aggregateRef, { signal });
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return undefined;
    throw thrown;
  }
}

function begin(context: AggregateContext, object: KubeObject): AggregateRun {
  const { kube, clock } = context;
  return { context, object, status: new StatusWriter(object, { kube, clock, fieldManager, hasGenerations: false }) };
}

function setAggregate(run: AggregateRun, conditions: readonly DesiredCondition[]): void {
  const { systemNamespace, version } = run.context;
  const { apiVersion, plural } = platformOperatorResource;
  const status = run.object['status'] as JsonObject | undefined;
  const others = objectsAt(status, 'versions').filter(({ name }) => name !== 'operator');
  run.status.set(run, conditions);
  run.status.setFields(run, {
    versions: [{ name: 'operator', version }, ...others],
    relatedObjects: [
      { group: '', resource: 'namespaces', name: systemNamespace },
      { group: groupOf(apiVersion), resource: plural, name: '' },
    ],
  });
}

const summarize: Step<AggregateRun> = async (run) => {
  await Promise.resolve();
  setAggregate(run, aggregateConditions(run.context.operators.values()));
  return undefined;
};

const request: NamespacedName = { namespace: '', name: aggregateRef.name };

/** Keeps the object that reports the state of all PlatformOperators, on clusters that have it. */
export const aggregateController: ControllerDefinition<AggregateContext, AggregateRun> = defineController({
  name: 'platformoperator-aggregate',
  for: aggregateRef,
  read: (context, _, signal) => readAggregate(context, signal),
  firstRequests: [request],
  watches: () => [{ target: platformOperatorResource, requestsFor: () => [request] }],
  begin,
  steps: [summarize],
  permissions: {
    cluster: [
      { ...aggregateResource, resources: ['clusteroperators'], verbs: ['get'] },
      { ...aggregateResource, resources: ['clusteroperators/status'], verbs: ['patch'] },
    ],
  },
  isOptional: true,
});

/** Reports that nothing is known yet, where nothing is reported. */
export async function writeFirstAggregate(context: AggregateContext, signal: AbortSignal): Promise<void> {
  const live = await readAggregate(context, signal);
  if (live === undefined || conditionsOf(live).length > 0) return;
  const run = begin(context, live);
  setAggregate(run, startConditions);
  await run.status.flush(run, signal);
}
