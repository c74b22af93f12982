import {
  type CatalogSource,
  catalogSourceResource,
  type Subscription,
  type SubscriptionStatus,
} from '../../api/index.ts';
import type { HeldSources } from '../catalog-source/views.ts';
import { type DesiredCondition, withCondition } from './conditions.ts';
import type { Situation } from './situation.ts';

type CatalogHealth = NonNullable<SubscriptionStatus['catalogHealth']>[number];

/** Whether the catalog can be read. */
export function isReadable({ metadata }: CatalogSource, { catalogs }: Pick<HeldSources, 'catalogs'>): boolean {
  return catalogs.some(({ name, namespace }) => name === metadata.name && namespace === metadata.namespace);
}

/** An entry stays as it is while the health of the same object does. */
function healthOf(
  { metadata }: CatalogSource,
  healthy: boolean,
  { known, now }: { readonly known: readonly CatalogHealth[]; readonly now: string },
): CatalogHealth {
  const { apiVersion, kind } = catalogSourceResource;
  const { name, namespace = '', uid = '', resourceVersion = '' } = metadata;
  const before = known.find(({ catalogSourceRef }) => catalogSourceRef.uid === uid);
  if (before?.healthy === healthy) return before;
  return {
    catalogSourceRef: { apiVersion, kind, name, namespace, uid, resourceVersion },
    healthy,
    lastUpdated: now,
  };
}

function conditionFor({ spec }: Subscription, health: readonly CatalogHealth[]): DesiredCondition {
  const type = 'CatalogSourcesUnhealthy';
  if (health.length === 0) {
    const message = 'dependency resolution requires at least one catalogsource';
    return { type, status: 'True', reason: 'NoCatalogSourcesFound', message };
  }
  const target = health.find(
    ({ catalogSourceRef: { name, namespace } }) => name === spec.source && namespace === spec.sourceNamespace,
  );
  if (target?.healthy === true) {
    const message = 'all available catalogsources are healthy';
    return { type, status: 'False', reason: 'AllCatalogSourcesHealthy', message };
  }
  const problem = target === undefined ? 'missing' : 'unhealthy';
  const message = `targeted catalogsource ${spec.sourceNamespace}/${spec.source} ${problem}`;
  return { type, status: 'True', reason: 'UnhealthyCatalogSourceFound', message };
}

/** The status with the health of all catalogs that are visible in the namespace.
 *  @see docs/spec/olm-v0.md#subscription-status */
export function reportCatalogs(
  status: SubscriptionStatus,
  about: {
    readonly subscription: Subscription;
    readonly situation: Situation;
    readonly held: Pick<HeldSources, 'catalogs'>;
    readonly now: string;
  },
): SubscriptionStatus {
  const { subscription, situation, held, now } = about;
  const known = status.catalogHealth ?? [];
  const catalogHealth = situation.sources.map((source) => healthOf(source, isReadable(source, held), { known, now }));
  const condition = conditionFor(subscription, catalogHealth);
  const { catalogHealth: _before, ...rest } = status;
  return withCondition({ ...rest, ...(catalogHealth.length > 0 && { catalogHealth }) }, condition, now);
}
