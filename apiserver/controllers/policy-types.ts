import type { JsonObject } from '../../src/base/index.ts';
import { checkPolicyTypes } from '../cel/index.ts';
import { type Cluster, inTurns, Turns } from '../core/index.ts';
import { type Controller, ignoreNotFound, statusOf, typeOf } from './controller.ts';

const as = 'system:serviceaccount:kube-system:validatingadmissionpolicy-status-controller';
const group = 'admissionregistration.k8s.io';

/** Reports in the status of ValidatingAdmissionPolicies which of their expressions do not fit the kinds that they match: once a generation. */
export function policyTypes(cluster: Cluster): Controller {
  const turns = new Turns();
  return {
    name: 'validatingadmissionpolicy-status',
    keysOf: ({ type, resource, object }) =>
      resource.storageKey === `validatingadmissionpolicies.${group}` && type !== 'DELETED'
        ? [object.metadata.name ?? '']
        : [],
    work: async (name) => {
      const type = typeOf(cluster, 'validatingadmissionpolicies', group);
      const policy = cluster.get(type, { namespace: '', name });
      if (policy === undefined) return;
      const { generation = 0 } = policy.metadata;
      const { observedGeneration } = statusOf(policy);
      if (typeof observedGeneration === 'number' && generation <= observedGeneration) return;
      // Users decide how many expressions there are.
      const found = await inTurns(checkPolicyTypes(policy, cluster), () => turns.take());
      const expressionWarnings = found as unknown as JsonObject[];
      const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings };
      const status = { ...statusOf(policy), observedGeneration: generation, typeChecking };
      await ignoreNotFound(cluster.update(type, { ...policy, status }, { as, subresource: 'status' }));
    },
  };
}
