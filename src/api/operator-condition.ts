import type { Resource } from './resource.ts';

/** Where the kind is served.
 *  @see docs/spec/olm-v0.md#operatorcondition */
export const operatorConditionResource: Resource = {
  apiVersion: 'operators.coreos.com/v2',
  kind: 'OperatorCondition',
  plural: 'operatorconditions',
};

/** The only type of condition that is read: whether the operator may be upgraded.
 *  @see docs/spec/olm-v0.md#operatorcondition */
export type OperatorConditionType = 'Upgradeable';
