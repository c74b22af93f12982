import { parsePlatformOperator, platformOperatorResource } from '../../api/index.ts';
import { isJsonEqual, type JsonObject, objectsAt } from '../../base/index.ts';
import {
  type Condition,
  groupOf,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  refOf,
  setCondition,
} from '../../kube/index.ts';

/** The object that tells how all PlatformOperators do together. Somebody else makes it. */
const aggregateRef = {
  apiVersion: 'config.openshift.io/v1',
  kind: 'ClusterOperator',
  name: 'platform-operators-aggregated',
} as const;

interface Wanted {
  readonly type: 'Available' | 'Progressing' | 'Degraded';
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

function standing(isAvailable: boolean, isProgressing: boolean, why: Pick<Wanted, 'reason' | 'message'>): Wanted[] {
  const nothing = { reason: '', message: '' };
  return [
    { type: 'Available', status: isAvailable ? 'True' : 'False', ...why },
    { type: 'Progressing', status: isProgressing ? 'True' : 'False', ...nothing },
    { type: 'Degraded', status: 'False', ...nothing },
  ];
}

/** What is said before anything is known. */
export const startConditions: readonly Wanted[] = standing(false, true, { reason: '', message: '' });

function failureOf(object: KubeObject): string | undefined {
  const { metadata, status } = parsePlatformOperator(object);
  const installed = status?.conditions?.find(({ type }) => type === 'Installed');
  if (installed?.status === 'True') return undefined;
  const reason = installed?.reason ?? 'InstallPending';
  return `encountered the failing ${metadata.name} platform operator with reason "${reason}"`;
}

/** How all PlatformOperators do together.
 *  @see docs/spec/olm-v0.md#aggregated-clusteroperator */
export function aggregateConditions(operators: readonly KubeObject[]): readonly Wanted[] {
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

/** What goes into the status of the aggregate. */
export interface AggregateFacts {
  readonly conditions: readonly Wanted[];
  readonly systemNamespace: string;
  readonly version: string;
  readonly nowMs: number;
  /** Nothing is written where something is said already. */
  readonly isFirstWord?: boolean;
}

function nextStatus(live: KubeObject, { conditions, systemNamespace, version, nowMs }: AggregateFacts): JsonObject {
  const before = objectsAt(live['status'] as JsonObject | undefined, 'conditions') as unknown as readonly Condition[];
  const next = conditions.reduce((all, wanted) => setCondition(all, wanted, nowMs), before);
  const others = objectsAt(live['status'] as JsonObject | undefined, 'versions').filter(
    ({ name }) => name !== 'operator',
  );
  const { apiVersion, plural } = platformOperatorResource;
  return {
    conditions: next as unknown as JsonObject[],
    versions: [{ name: 'operator', version }, ...others],
    relatedObjects: [
      { group: '', resource: 'namespaces', name: systemNamespace },
      { group: groupOf(apiVersion), resource: plural, name: '' },
    ],
  };
}

/** Writes what has changed of the aggregate; a cluster that has no such object, or no such kind, is left alone. */
export async function writeAggregate(
  facts: AggregateFacts,
  context: { readonly kube: KubeClient; readonly fieldManager: string; readonly signal: AbortSignal },
): Promise<void> {
  const { kube, fieldManager, signal } = context;
  try {
    const live = await kube.get(aggregateRef, { signal });
    const said = objectsAt(live['status'] as JsonObject | undefined, 'conditions');
    if (facts.isFirstWord === true && said.length > 0) return;
    const status = nextStatus(live, facts);
    const before = (live['status'] ?? {}) as JsonObject;
    if (Object.entries(status).every(([key, value]) => isJsonEqual(before[key] ?? null, value))) return;
    await kube.patch(refOf(live), { status }, { fieldManager, subresource: 'status', signal });
  } catch (thrown) {
    if (!isNotFound(thrown) && !(thrown instanceof NoKindMatch)) throw thrown;
  }
}
