import { objectsAt } from '../../../base/index.ts';
import { type Amendment, eachOfKind } from './amendment.ts';

/** Accounts that a shipped binding names without a namespace are the operator's own. */
export const subjectNamespaces: Amendment = {
  name: 'subject-namespaces',
  reason: 'The API server refuses a binding whose ServiceAccount has no namespace.',
  amend: (objects, { installNamespace }) =>
    eachOfKind(objects, ['RoleBinding', 'ClusterRoleBinding'], (binding) => {
      const subjects = objectsAt(binding, 'subjects');
      const isLost = ({ kind, namespace }: (typeof subjects)[number]): boolean =>
        kind === 'ServiceAccount' && (namespace === undefined || namespace === '');
      if (!subjects.some(isLost)) return binding;
      const placed = subjects.map((one) => (isLost(one) ? { ...one, namespace: installNamespace } : one));
      return { ...binding, subjects: placed };
    }),
};
