import type { Subscription, SubscriptionConditionType, SubscriptionStatus } from '../../api/index.ts';
import type { Deprecations } from './answer.ts';
import { withCondition, withoutConditions } from './conditions.ts';

interface Deprecation {
  readonly type: SubscriptionConditionType;
  readonly text: string;
}

/** What is deprecated of what is installed. A channel counts only where the Subscription names it. */
function deprecationsOf({ spec, status }: Subscription, found: Deprecations): readonly Deprecation[] {
  const { channel = '' } = spec;
  const { installedCSV = '' } = status ?? {};
  const all: readonly (readonly [SubscriptionConditionType, string, string | undefined])[] = [
    ['PackageDeprecated', `olm.package/${spec.name}`, found.package],
    ['ChannelDeprecated', `olm.channel/${channel}`, channel === '' ? undefined : found.channel],
    ['BundleDeprecated', `olm.bundle/${installedCSV}`, found.bundle],
  ];
  return all.flatMap(([type, what, why]) => (why === undefined ? [] : [{ type, text: `${what}: ${why}` }]));
}

/** The status with the deprecations of what is installed; undefined: the catalog has no entry for it, and what is known stays.
 *  @see docs/spec/catalogs.md#deprecation-conditions */
export function reportDeprecations(
  status: SubscriptionStatus,
  about: { readonly subscription: Subscription; readonly found: Deprecations | undefined; readonly now: string },
): SubscriptionStatus {
  const { subscription, found, now } = about;
  if (found === undefined) return status;
  const reported = deprecationsOf({ ...subscription, status }, found);
  const cleared = withoutConditions(
    status,
    ...(['PackageDeprecated', 'ChannelDeprecated', 'BundleDeprecated', 'Deprecated'] as const).filter((type) =>
      type === 'Deprecated' ? reported.length === 0 : !reported.some((one) => one.type === type),
    ),
  );
  if (reported.length === 0) return cleared;
  const rollUp = { type: 'Deprecated', text: reported.map(({ text }) => text).join('; ') } as const;
  return [...reported, rollUp].reduce(
    (before, { type, text }) => withCondition(before, { type, status: 'True', message: text }, now),
    cleared,
  );
}
