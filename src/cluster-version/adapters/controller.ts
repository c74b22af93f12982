import { clusterOperatorResource } from '../../api/index.ts';
import {
  type Clock,
  errorMessage,
  formatTimestamp,
  isJsonObject,
  type JsonObject,
  objectAt,
} from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type ReconcileRun,
  requeueAfter,
  type Step,
} from '../../controller/index.ts';
import {
  type Condition,
  conditionsOf,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  refOf,
  setCondition,
} from '../../kube/index.ts';
import { type Assessment, assess } from './assess.ts';
import { readHelmRelease } from './helm-releases.ts';
import { describeSource, parseSources, refOfSource, type StatusSource, statusFromAnnotation } from './sources.ts';

/** Field manager of statuses that are read from other objects. */
const fieldManager = 'cluster-operator-adapter';
/** While a component changes, and otherwise. */
const [changingMs, settledMs] = [2_000, 15_000];
/** A component that is not available for so long is degraded. */
const toleratedMs = 5 * 60_000;

interface AdapterContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
}

interface AdapterRun extends ReconcileRun {
  readonly context: AdapterContext;
}

interface Assessed extends Assessment {
  readonly source: StatusSource;
}

/** Whether another program reports the conditions: an operator that has taken over. */
function hasOwnReporter({ metadata: { managedFields = [] } }: KubeObject): boolean {
  return managedFields.some((entry) => {
    const status = objectAt(isJsonObject(entry['fieldsV1']) ? entry['fieldsV1'] : undefined, 'f:status');
    return entry['manager'] !== fieldManager && status?.['f:conditions'] !== undefined;
  });
}

async function readSource(
  { kube, clock }: AdapterContext,
  source: StatusSource,
  signal: AbortSignal,
): Promise<Assessed> {
  try {
    const live =
      source.kind === 'HelmRelease'
        ? await readHelmRelease(kube, source, signal)
        : await kube.get(refOfSource(source), { signal });
    return { source, ...assess(source.kind, live, clock.now()) };
  } catch (thrown) {
    if (!isNotFound(thrown) && !(thrown instanceof NoKindMatch)) throw thrown;
    return { source, ...assess(source.kind, undefined, clock.now()) };
  }
}

function joined(all: readonly Assessed[], isMeant: (one: Assessed) => boolean): string {
  const texts = all.filter(isMeant).map(({ source, message }) => `${describeSource(source)}: ${message}`);
  return texts.join('\n');
}

function lastedMs(conditions: readonly Condition[], nowMs: number): number {
  const available = conditions.find(({ type }) => type === 'Available');
  return available?.status === 'False' ? nowMs - Date.parse(available.lastTransitionTime) : 0;
}

function conditionsFrom(all: readonly Assessed[], before: readonly Condition[], nowMs: number): readonly Condition[] {
  const isAvailable = all.every((one) => one.isAvailable);
  const isLate = !isAvailable && lastedMs(before, nowMs) > toleratedMs;
  const isDegraded = isLate || all.some((one) => one.isDegraded);
  const facts = [
    { type: 'Available', value: isAvailable, message: joined(all, (one) => !one.isAvailable) },
    {
      type: 'Progressing',
      value: all.some((one) => one.isProgressing),
      message: joined(all, (one) => one.isProgressing),
    },
    {
      type: 'Degraded',
      value: isDegraded,
      message: joined(all, (one) => one.isDegraded || (isLate && !one.isAvailable)),
    },
  ];
  let conditions = before.filter(({ type }) => facts.some((fact) => fact.type === type));
  for (const { type, value, message } of facts) {
    const reason = message === '' ? 'AsExpected' : 'ReportedByObjects';
    conditions = [...setCondition(conditions, { type, status: value ? 'True' : 'False', reason, message }, nowMs)];
  }
  return conditions;
}

/** The version `operator` is new once all objects have reached theirs. */
function versionsFrom(all: readonly Assessed[], before: JsonObject | undefined): JsonObject[] {
  const [first] = all;
  const isReached = all.every(({ version, isProgressing }) => version !== '' && !isProgressing);
  if (first !== undefined && isReached) return [{ name: 'operator', version: first.version }];
  const known = before?.['versions'];
  return Array.isArray(known) ? (known as JsonObject[]) : [];
}

const reportStatus: Step<AdapterRun> = async (run, { signal, log }) => {
  const { context, object } = run;
  const annotation = object.metadata.annotations?.[statusFromAnnotation];
  if (annotation === undefined || object.metadata.deletionTimestamp !== undefined) return 'stop';
  // Caches leave out who manages what. An operator that reports meanwhile is a conflict.
  const live = await context.kube.get(refOf(object), { signal });
  if (hasOwnReporter(live)) return 'stop';
  const nowMs = context.clock.now();
  let assessed: readonly Assessed[];
  try {
    assessed = await Promise.all(parseSources(annotation).map((source) => readSource(context, source, signal)));
  } catch (thrown) {
    log.warn({ message: errorMessage(thrown), at: formatTimestamp(nowMs) }, 'ClusterOperator not assessed');
    throw thrown;
  }
  const status = objectAt(live as JsonObject, 'status');
  const conditions = conditionsFrom(assessed, conditionsOf(live), nowMs);
  const versions = versionsFrom(assessed, status);
  const { apiVersion, kind, metadata } = live;
  const desired = {
    apiVersion,
    kind,
    metadata: { name: metadata.name ?? '', resourceVersion: metadata.resourceVersion ?? '' },
    status: { conditions, versions },
  };
  await context.kube.apply(desired as unknown as KubeObject, {
    fieldManager,
    force: true,
    subresource: 'status',
    signal,
  });
  const isSettled = assessed.every(
    ({ isAvailable, isProgressing, isDegraded }) => isAvailable && !isProgressing && !isDegraded,
  );
  requeueAfter(run, isSettled ? settledMs : changingMs);
  return undefined;
};

/** Reports the status of ClusterOperators whose components report none, from the objects that they consist of.
 *  @see docs/spec/cluster-version.md#clusteroperator-api */
const adapterController: ControllerDefinition<AdapterContext, AdapterRun> = defineController({
  name: 'clusteroperatoradapter',
  for: clusterOperatorResource,
  begin: (context, object): AdapterRun => ({ context, object }),
  steps: [reportStatus],
  // As the update engine, which may do everything.
  permissions: {},
  isOptional: true,
});

/** Adds it. Only ClusterOperators with the annotation `core.rukpak.io/status-from` are written, until their operator reports itself. */
export function addStatusAdapter(manager: Manager): void {
  const { kube, clock } = manager;
  manager.add(adapterController, { context: { kube, clock }, workers: 2 });
}
