import {
  type CatalogSource,
  type ClusterServiceVersion,
  type InstallPlan,
  type OperatorGroup,
  olmAnnotations,
  parseCatalogSource,
  parseClusterServiceVersion,
  parseInstallPlan,
  parseOperatorGroup,
  parseSubscription,
  type Subscription,
} from '../../api/index.ts';
import { remainingMs, TerminalError } from '../../base/index.ts';
import type { KindCache, KubeObject } from '../../kube/index.ts';
import { isCopied } from '../../operators/index.ts';

/** What a namespace has that decides about its Subscriptions. */
export interface Situation {
  readonly namespace: string;
  /** By name; without those that are being deleted. */
  readonly subscriptions: readonly Subscription[];
  /** Without copies. */
  readonly csvs: readonly ClusterServiceVersion[];
  /** Of all ClusterServiceVersions that were seen. */
  readonly csvUids: ReadonlySet<string>;
  readonly csvNames: ReadonlySet<string>;
  /** By name. */
  readonly plans: ReadonlyMap<string, InstallPlan>;
  readonly groups: readonly OperatorGroup[];
  /** Of the namespace, then the global ones; each by name. */
  readonly sources: readonly CatalogSource[];
}

/** Where the objects of a namespace are read. */
export interface SituationCaches {
  readonly subscriptions: KindCache;
  readonly csvs: KindCache;
  readonly plans: KindCache;
  readonly groups: KindCache;
  readonly sources: KindCache;
}

/** Those that can be read, by name: an object that its definition would refuse by now counts as absent. */
function readable<T>(objects: readonly KubeObject[], parse: (raw: unknown) => T): readonly T[] {
  const sorted = objects.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  return sorted.flatMap((object) => {
    try {
      return [parse(object)];
    } catch (thrown) {
      if (!(thrown instanceof TerminalError)) throw thrown;
      return [];
    }
  });
}

/** Reads what the namespace has now. */
export function readSituation(caches: SituationCaches, namespace: string, globalCatalogNamespace: string): Situation {
  const namespaces = [...new Set([namespace, globalCatalogNamespace])];
  const stored = caches.csvs.inNamespace(namespace);
  const csvs = readable(stored, parseClusterServiceVersion).filter((csv) => !isCopied(csv));
  const plans = readable(caches.plans.inNamespace(namespace), parseInstallPlan);
  return {
    namespace,
    subscriptions: readable(caches.subscriptions.inNamespace(namespace), parseSubscription).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    ),
    csvUids: new Set(stored.map(({ metadata }) => metadata.uid ?? '')),
    csvs,
    csvNames: new Set(csvs.map(({ metadata }) => metadata.name)),
    plans: new Map(plans.map((plan) => [plan.metadata.name, plan])),
    groups: readable(caches.groups.inNamespace(namespace), parseOperatorGroup),
    sources: namespaces.flatMap((one) => readable(caches.sources.inNamespace(one), parseCatalogSource)),
  };
}

/** Whether an update may start from a failed installation. */
export function isFailForward({ groups }: Situation): boolean {
  return groups.length === 1 && groups[0]?.spec?.upgradeStrategy === 'TechPreviewUnsafeFailForward';
}

/** Whether only catalogs of the namespace itself may be used. */
export function isGlobalExcluded({ groups }: Situation): boolean {
  return groups[0]?.metadata.annotations?.[olmAnnotations.excludeGlobalResolution] === 'true';
}

/** How far a replacement is followed. */
const maxChain = 100;

/** The last of those that replace a ClusterServiceVersion; undefined where they go in a circle. */
function lastOf(first: ClusterServiceVersion, successors: ReadonlyMap<string, ClusterServiceVersion>) {
  let last = first;
  for (let count = 0; count < maxChain; count += 1) {
    const next = successors.get(last.metadata.name);
    if (next === undefined) return last;
    last = next;
  }
  return undefined;
}

const busyPhases: ReadonlySet<string> = new Set([
  '',
  'InstallReady',
  'Installing',
  'Succeeded',
  'Replacing',
  'Deleting',
]);
/** Requirements that are not met right after the plan was applied may be met at once. */
const settlingMs = 5_000;

function isSettling({ status }: ClusterServiceVersion, nowMs: number): boolean {
  const sinceMs = Date.parse(status?.lastTransitionTime ?? '');
  return status?.phase === 'Pending' && remainingMs(sinceMs, settlingMs, nowMs) > 0;
}

/** `busy`: a ClusterServiceVersion is about to be replaced, and nothing shows that it cannot be. `settling`: that may be so. */
export type UpgradeState = 'none' | 'busy' | 'settling';

/** Whether the next update has to wait for one that is under way. One that is held up does not count: it is part of what is resolved, so that the reason
 *  is reported.
 *  @see docs/spec/olm-v0.md#upgrade-failure-handling */
export function upgradeState({ csvs, plans }: Situation, nowMs: number): UpgradeState {
  const successors = new Map(
    csvs.flatMap((csv): [string, ClusterServiceVersion][] => {
      const { replaces = '' } = csv.spec;
      return replaces === '' || replaces === csv.metadata.name ? [] : [[replaces, csv]];
    }),
  );
  const applied = new Set(
    [...plans.values()]
      .filter(({ status }) => ['', 'Installing'].includes(status?.phase ?? ''))
      .flatMap(({ spec }) => spec.clusterServiceVersionNames),
  );
  const next = csvs.flatMap((csv) => {
    const last = successors.has(csv.metadata.name) ? lastOf(csv, successors) : undefined;
    return last === undefined ? [] : [last];
  });
  const isBusy = ({ metadata, status }: ClusterServiceVersion): boolean =>
    busyPhases.has(status?.phase ?? '') || (status?.phase === 'Pending' && applied.has(metadata.name));
  if (next.some(isBusy)) return 'busy';
  return next.some((csv) => isSettling(csv, nowMs)) ? 'settling' : 'none';
}

/** After it an upgrade that is settling is held up. */
export const settledAfterMs: number = settlingMs + 1_000;
