import { describe, expect, test } from 'vitest';
import { ApiSet } from '../../operators/index.ts';
import { groupRoleNames, groupRoles, isRoleOfGroup } from './group-roles.ts';

const group = { namespace: 'a', name: 'group' };
const boat = { group: 'example.com', version: 'v1', kind: 'Boat' };

describe('names', () => {
  // The value was computed with Go's crypto/sha256 and math/big.
  test('end with the hash that OLM computes, so that its ClusterRoles are found again', () => {
    expect(groupRoleNames(group)[0]).toBe('olm.og.group.admin-aIVWk6su9VEepajawvtLS5YP5GTncRM4nSHOS6');
  });

  test('differ for groups of one name in two namespaces, and are cut', () => {
    const names = [group, { ...group, namespace: 'b' }].flatMap(groupRoleNames);
    expect(new Set(names).size).toBe(6);
    const long = groupRoleNames({ namespace: 'a', name: 'x'.repeat(253) });
    expect(Math.max(...long.map((name) => name.length))).toBeLessThanOrEqual(253);
  });
});

test('without APIs there is nothing to aggregate, and no rule', () => {
  for (const role of groupRoles(group, new ApiSet())) {
    expect([role['aggregationRule'], role['rules']]).toEqual([null, null]);
  }
});

test('with APIs the rules are left to the aggregation', () => {
  const [admin] = groupRoles(group, new ApiSet([boat]));
  expect(admin?.['aggregationRule']).toBeDefined();
  expect(admin).not.toHaveProperty('rules');
});

test('a role belongs to a group only with all owner labels', () => {
  const [role] = groupRoles(group, new ApiSet());
  if (role === undefined) throw new Error('no role');
  expect(isRoleOfGroup(role, group)).toBe(true);
  expect(isRoleOfGroup(role, { ...group, namespace: 'b' })).toBe(false);
});
