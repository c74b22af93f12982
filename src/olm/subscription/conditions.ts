import type { SubscriptionConditionType, SubscriptionReason, SubscriptionStatus } from '../../api/index.ts';
import { cutText, printable } from '../../base/index.ts';

type Conditions = NonNullable<SubscriptionStatus['conditions']>;
export type SubscriptionCondition = Conditions[number];

/** A condition as it is to be. */
export interface DesiredCondition {
  readonly type: SubscriptionConditionType;
  readonly status: 'True' | 'False';
  readonly reason?: SubscriptionReason | (string & {});
  readonly message?: string;
}

const maxMessageCharacters = 32_768;

export function conditionOf(
  { conditions = [] }: Pick<SubscriptionStatus, 'conditions'>,
  type: SubscriptionConditionType,
): SubscriptionCondition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** With one set: `lastTransitionTime` changes with the status alone, empty texts are left out. */
export function withCondition(
  status: SubscriptionStatus,
  { reason = '', message = '', ...desired }: DesiredCondition,
  now: string,
): SubscriptionStatus {
  const { conditions = [] } = status;
  const before = conditionOf(status, desired.type);
  const { lastTransitionTime = now } = before?.status === desired.status ? before : {};
  const text = cutText(printable(message), maxMessageCharacters);
  const next: SubscriptionCondition = {
    ...desired,
    ...(reason !== '' && { reason }),
    ...(text !== '' && { message: text }),
    lastTransitionTime,
  };
  if (before === undefined) return { ...status, conditions: [...conditions, next] };
  return { ...status, conditions: conditions.map((condition) => (condition === before ? next : condition)) };
}

export function withoutConditions(
  status: SubscriptionStatus,
  ...types: readonly SubscriptionConditionType[]
): SubscriptionStatus {
  const { conditions = [] } = status;
  const rest = conditions.filter(({ type }) => !types.some((removed) => removed === type));
  return rest.length === conditions.length ? status : { ...status, conditions: rest };
}
