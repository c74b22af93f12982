import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { addedDeployments, deploymentOwners } from './deployment-owners.ts';

const shop = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'shop', uid: '1' };

function bundle(...ownerReferences: JsonObject[]): JsonObject {
  return { metadata: { name: 'shop-1', ownerReferences } };
}

test.each([
  { what: 'one that is added', before: bundle(), after: bundle({ ...shop, controller: true }), added: ['shop'] },
  { what: 'one of another uid', before: bundle(shop), after: bundle({ ...shop, uid: '2' }), added: ['shop'] },
  { what: 'one that stays', before: bundle(shop), after: bundle({ ...shop, controller: true }), added: [] },
  { what: 'one that is removed', before: bundle(shop), after: bundle(), added: [] },
  { what: 'an owner of another kind', before: bundle(), after: bundle({ ...shop, kind: 'ConfigMap' }), added: [] },
])('finds $what', ({ before, after, added }) => {
  expect(addedDeployments(before, after)).toEqual(added);
});

test('only users who may write what is recorded add a BundleDeployment to the owners of a Bundle', () => {
  expect(deploymentOwners(['shop'], true).denials).toEqual([]);
  expect(deploymentOwners([], false).denials).toEqual([]);
  const [denial] = deploymentOwners(['shop'], false).denials;
  expect(denial?.text).toContain(
    'metadata.ownerReferences: BundleDeployment "shop": added by the controllers alone when they create a Bundle',
  );
});
