import { type Machine, machineResource, parseMachine } from '../../src/api/index.ts';
import type { ReviewRequest } from '../review/request.ts';
import { type AdmissionResult, allowed } from '../review/result.ts';
import type { ReviewContext, WebhookDefinition } from '../review/webhook-definition.ts';

const hooksOf = ({ spec }: Machine) => spec?.lifecycleHooks ?? {};

async function check(
  { operation, object, oldObject }: ReviewRequest,
  { rules }: ReviewContext,
): Promise<AdmissionResult> {
  await Promise.resolve();
  if (operation !== 'UPDATE') return allowed;
  const [before, after] = [parseMachine(oldObject), parseMachine(object)];
  const isDeleting = after.metadata.deletionTimestamp !== undefined;
  return rules.evaluate('machine-hooks', { isDeleting, before: hooksOf(before), after: hooksOf(after) });
}

/** The hooks of a Machine in CEL: `{}` where it has none. */
const hooksIn = (variable: string): string =>
  `(has(${variable}.spec) && has(${variable}.spec.lifecycleHooks) ? ${variable}.spec.lifecycleHooks : {})`;

/** For clusters without ValidatingAdmissionPolicies, which have the same rule. */
export const machineWebhook: WebhookDefinition = {
  name: 'vmachines.machine.openshift.io',
  path: '/validate-machine-openshift-io-v1beta1-machine',
  check,
  requests: {
    apiGroups: ['machine.openshift.io'],
    apiVersions: ['v1beta1'],
    operations: ['UPDATE'],
    resources: [machineResource.plural],
  },
  // The deletion of a machine goes on while the webhook does not answer: only a change of hooks waits for it.
  matchConditions: [
    { name: 'is-being-deleted', expression: 'has(object.metadata.deletionTimestamp)' },
    { name: 'changes-hooks', expression: `${hooksIn('object')} != ${hooksIn('oldObject')}` },
  ],
  isForMachines: true,
  permissions: {},
  configuration: 'longshore-machine-webhook-configuration',
};
