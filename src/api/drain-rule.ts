import type { Resource } from './resource.ts';

/** Where rules of drains are served.
 *  @see docs/spec/machine-lifecycle.md#6-drain-engine */
export const drainRuleResource: Resource = {
  apiVersion: 'drain.platform/v1alpha1',
  kind: 'DrainRule',
  plural: 'drainrules',
};
