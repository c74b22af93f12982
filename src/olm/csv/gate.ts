import type { OperatorCondition } from '../../api/index.ts';

const type = 'Upgradeable';

type Condition = NonNullable<NonNullable<OperatorCondition['status']>['conditions']>[number];

function refusal(found: Pick<Condition, 'status' | 'message'> | undefined): string | undefined {
  return found === undefined || found.status === 'True'
    ? undefined
    : `the operator is not upgradeable: ${found.message}`;
}

function isOutdated({ observedGeneration = 0 }: Condition, { metadata }: OperatorCondition): boolean {
  return observedGeneration < (metadata.generation ?? 0);
}

/** Why an operator may not be upgraded, by its OperatorCondition; undefined if it may. What the operator has just written counts before it is in the
 *  status.
 *  @see docs/spec/olm-v0.md#replacement-chain-and-operatorcondition-gate */
export function upgradeGate(condition: OperatorCondition | undefined): string | undefined {
  if (condition === undefined) return undefined;
  const { spec: { overrides = [], conditions: written = [] } = {}, status: { conditions = [] } = {} } = condition;
  const override = overrides.find((one) => one.type === type);
  if (override !== undefined) return refusal(override);
  const reported = conditions.find((one) => one.type === type);
  if (reported === undefined) return refusal(written.find((one) => one.type === type));
  return isOutdated(reported, condition)
    ? `the operatorcondition status "${type}"="${reported.status}" is outdated`
    : refusal(reported);
}
