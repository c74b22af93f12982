import type { Resource } from './resource.ts';

/** Where the kind is served.
 *  @see docs/spec/olm-v0.md#operator */
export const operatorResource: Resource = {
  apiVersion: 'operators.coreos.com/v1',
  kind: 'Operator',
  plural: 'operators',
};
