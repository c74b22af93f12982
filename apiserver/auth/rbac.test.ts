import { expect, test } from 'vitest';
import { HeldRules, type PolicyRule } from '../../src/rbac/index.ts';
import type { KubeObject } from '../core/index.ts';
import { RbacAuthorizer, type RbacObjects } from './rbac.ts';

const readsPods: readonly PolicyRule[] = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];

/** A namespace with one binding, of all these groups to a role that may read pods. */
function boundGroups(names: readonly string[]): RbacObjects {
  const binding = {
    metadata: { name: 'readers', namespace: 'team' },
    roleRef: { kind: 'Role', name: 'reader' },
    subjects: names.map((name) => ({ kind: 'Group', name })),
  } as unknown as KubeObject;
  const role = { metadata: { name: 'reader', namespace: 'team' }, rules: readsPods } as unknown as KubeObject;
  return { list: (plural) => (plural === 'rolebindings' ? [binding] : []), get: () => role };
}

/** A cluster in which one user has these rules. */
function heldBy(name: string, rules: readonly PolicyRule[]): RbacObjects {
  const roleRef = { kind: 'ClusterRole', name: 'own' };
  const binding = { metadata: { name: 'own' }, roleRef, subjects: [{ kind: 'User', name }] } as unknown as KubeObject;
  const role = { metadata: { name: 'own' }, rules } as unknown as KubeObject;
  return { list: (plural) => (plural === 'clusterrolebindings' ? [binding] : []), get: () => role };
}

/** The list, and how often one of its items was read. */
function counted(names: string[]): { readonly groups: readonly string[]; readonly reads: () => number } {
  let reads = 0;
  const groups = new Proxy(names, {
    get: (target, key, receiver) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  return { groups, reads: () => reads };
}

test('the groups of a review are not read again for each subject of a binding', () => {
  const bound = Array.from({ length: 500 }, (_, index) => `bound-${index}`);
  const { groups, reads } = counted([...Array.from({ length: 999 }, (_, index) => `other-${index}`), 'bound-499']);
  const authorizer = new RbacAuthorizer(boundGroups(bound));
  const request = {
    kind: 'resource',
    verb: 'get',
    group: '',
    resource: 'pods',
    subresource: '',
    namespace: 'team',
    name: '',
  } as const;
  const decision = authorizer.decide({ username: 'reader', groups }, request);
  expect(decision).toEqual({
    isAllowed: true,
    reason: 'RBAC: allowed by RoleBinding "readers/team" of Role "reader" to Group "bound-499"',
  });
  expect(reads()).toBeLessThanOrEqual(2 * groups.length);
});

test('a path that ends in several stars allows what the check of escalations takes it to hold', () => {
  const own = [{ verbs: ['get'], nonResourceURLs: ['/metrics**'] }];
  const granted = [{ verbs: ['get'], nonResourceURLs: ['/metrics/slis'] }];
  const authorizer = new RbacAuthorizer(heldBy('reader', own));
  const request = { kind: 'path', verb: 'get', path: '/metrics/slis' } as const;
  expect(new HeldRules(own).missing(granted)).toEqual([]);
  expect(authorizer.decide({ username: 'reader', groups: [] }, request).isAllowed).toBe(true);
});
