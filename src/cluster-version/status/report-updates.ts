import {
  type ClusterOperator,
  type ClusterRelease,
  type ClusterVersion,
  type ClusterVersionSpec,
  type ClusterVersionStatus,
  clusterOperatorResource,
} from '../../api/index.ts';
import { cutText, type JsonObject, objectAt, objectsAt } from '../../base/index.ts';
import type { KindCache, ListTarget } from '../../kube/index.ts';
import type { PendingDeletion } from '../apply/pending-deletions.ts';
import type {
  AvailabilityRequest,
  AvailabilityStatus,
  UpdateAvailability,
} from '../available-updates/update-availability.ts';
import { defaultGateNames, type ReadConfigMap } from '../upgradeable/admin-gates.ts';
import { upgradeableCondition, upgradeRisks } from '../upgradeable/upgradeable.ts';
import type { StatusDraft } from './status-draft.ts';

/** What reports about updates are made of. */
export interface UpdateReporting {
  /** Undefined: no update service is asked. */
  readonly availability: UpdateAvailability | undefined;
  readonly operators: KindCache;
  readonly gates: KindCache;
  readonly acks: KindCache;
  readonly deletions: { readonly list: () => readonly PendingDeletion[] };
  /** As releases name the architecture of the cluster. */
  readonly architecture: string;
}

function configMapTarget({ namespace, name }: { readonly namespace: string; readonly name: string }): ListTarget {
  return { apiVersion: 'v1', kind: 'ConfigMap', namespace, fieldSelector: `metadata.name=${name}` };
}

/** What Upgradeable depends on beside the ClusterVersion. */
export const updateTargets: { readonly operators: ListTarget; readonly gates: ListTarget; readonly acks: ListTarget } =
  {
    operators: clusterOperatorResource,
    gates: configMapTarget(defaultGateNames.gates),
    acks: configMapTarget(defaultGateNames.acks),
  };

function dataOf(
  cache: KindCache,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): ReadConfigMap {
  const object = cache.get(name, namespace);
  const data = object === undefined ? undefined : objectAt(object as unknown as JsonObject, 'data');
  return { data: data as Readonly<Record<string, string>> | undefined };
}

function deletionText({ kind, namespace, name }: PendingDeletion): string {
  return `${kind.toLowerCase()} "${namespace === '' ? name : `${namespace}/${name}`}"`;
}

function withStatus(version: ClusterVersion, draft: StatusDraft): ClusterVersion {
  return { ...version, status: draft.value as unknown as ClusterVersionStatus };
}

/** Sets the condition Upgradeable, or removes it. */
export function reportUpgradeable(version: ClusterVersion, draft: StatusDraft, reporting: UpdateReporting): void {
  const { operators, gates, acks, deletions } = reporting;
  const condition = upgradeableCondition(
    upgradeRisks({
      clusterVersion: withStatus(version, draft),
      deletions: deletions.list().map(deletionText),
      gates: dataOf(gates, defaultGateNames.gates),
      acks: dataOf(acks, defaultGateNames.acks),
      operators: operators.values() as unknown as readonly ClusterOperator[],
    }),
  );
  if (condition === undefined) draft.remove('Upgradeable');
  else draft.set([{ type: 'Upgradeable', ...condition }]);
}

/** Of the release that is applied, and of the one that is requested. */
function architecturesOf(
  { architecture: applied }: ClusterRelease,
  requested: string,
  machine: string,
): AvailabilityRequest['architecture'] {
  const current = applied === 'Multi' ? 'Multi' : machine;
  return { current, desired: requested === '' ? current : requested };
}

function requestOf(
  { status }: ClusterVersion,
  { upstream = '', channel = '', clusterID: clusterId, desiredUpdate = {} }: ClusterVersionSpec,
  { desired, architecture }: { readonly desired: ClusterRelease; readonly architecture: string },
): AvailabilityRequest {
  const { architecture: requested = '', acceptRisks = [] } = desiredUpdate;
  return {
    upstream,
    channel,
    clusterId,
    version: desired.version ?? '',
    architecture: architecturesOf(desired, requested, architecture),
    acceptedRisks: acceptRisks.map(({ name }) => name),
    conditionalUpdates: status?.conditionalUpdates ?? [],
  };
}

/** Sets what is known about updates to other releases: lists, and the condition RetrievedUpdates. Nothing before the cluster has a release.
 *  @returns when to report again, and what the update service knows about the release of the cluster */
export function reportAvailability(
  version: ClusterVersion,
  { spec, draft }: { readonly spec: ClusterVersionSpec; readonly draft: StatusDraft },
  { availability, architecture }: UpdateReporting,
): { readonly requeueAfterMs?: number; readonly current?: AvailabilityStatus['current'] } {
  const { desired } = draft.value as unknown as ClusterVersionStatus;
  if (availability === undefined || (desired.version ?? '') === '') return {};
  const { status: found, requeueAfterMs } = availability.sync(requestOf(version, spec, { desired, architecture }));
  if (found === undefined) {
    const first = { type: 'RetrievedUpdates', status: 'False', reason: '', message: '' } as const;
    if (!draft.has(first.type)) draft.set([first]);
    return { requeueAfterMs };
  }
  const { condition, current, ...lists } = found;
  draft.setFields(lists as unknown as JsonObject);
  draft.set([{ type: 'RetrievedUpdates', ...condition }]);
  return { requeueAfterMs, current };
}

const lists = ['availableUpdates', 'conditionalUpdates', 'conditionalUpdateRisks'] as const;
const maxRefusalCharacters = 500;

/** Takes the updates out of a status that the API server refuses, and reports why: what an update service answers must not keep the rest from being
 *  written.
 *  @returns undefined when there are none: the cause is another one */
export function withoutUpdates(draft: StatusDraft, why: string): JsonObject | undefined {
  if (lists.every((name) => objectsAt(draft.value, name).length === 0)) return undefined;
  draft.setFields({ availableUpdates: null, conditionalUpdates: [], conditionalUpdateRisks: [] });
  const message = `Unable to retrieve available updates: the API server refuses to store them: ${cutText(why, maxRefusalCharacters)}`;
  draft.set([{ type: 'RetrievedUpdates', status: 'False', reason: 'ResponseInvalid', message }]);
  return draft.value;
}

/** Adds the page and the channels that the update service knows of the release of the cluster. */
export function completeDesired(draft: StatusDraft, current: AvailabilityStatus['current']): void {
  const { desired } = draft.value as unknown as ClusterVersionStatus;
  if (current === undefined || desired.image !== current.image) return;
  const url = current.url === '' ? {} : { url: current.url };
  const channels = current.channels.length === 0 ? {} : { channels: current.channels };
  draft.setFields({ desired: { ...desired, ...url, ...channels } as unknown as JsonObject });
}
