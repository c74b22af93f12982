import type { OperatorCondition } from '../../api/index.ts';

const type = 'Upgradeable';

/** Why an operator may not be upgraded, by its OperatorCondition; undefined if it may.
 *  @see docs/spec/olm-v0.md#replacement-chain-and-operatorcondition-gate */
export function upgradeGate(condition: OperatorCondition | undefined): string | undefined {
  if (condition === undefined) return undefined;
  const { spec, status, metadata } = condition;
  const override = spec?.overrides?.find((one) => one.type === type);
  if (override !== undefined) {
    return override.status === 'True' ? undefined : `the operator is not upgradeable: ${override.message}`;
  }
  const reported = status?.conditions?.find((one) => one.type === type);
  if (reported === undefined) return undefined;
  if ((reported.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    return `the operatorcondition status "${type}"="${reported.status}" is outdated`;
  }
  return reported.status === 'True' ? undefined : `the operator is not upgradeable: ${reported.message}`;
}
