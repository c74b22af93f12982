import { expect, test } from 'vitest';
import type { InstallPlanStep } from '../../api/index.ts';
import { stagesOf } from './step-order.ts';

function step(kind: string, name: string, resolving = 'boat.v1'): InstallPlanStep {
  const resource = { group: '', version: 'v1', kind, name, sourceName: 'shop', sourceNamespace: 'olm' };
  return { resolving, status: 'Unknown', resource: { ...resource, manifest: '{}' } };
}

const version = (name: string): InstallPlanStep => step('ClusterServiceVersion', name);
const definition = (name: string): InstallPlanStep => step('CustomResourceDefinition', name);

test('operators come before definitions, and these before other objects, which come bundle by bundle', () => {
  const steps = [
    version('boat.v1'),
    version('ship.v1'),
    definition('boats'),
    definition('ships'),
    step('Role', 'boat'),
    step('Role', 'ship', 'ship.v1'),
    step('RoleBinding', 'boat'),
  ];
  expect(stagesOf(steps)).toEqual([
    [[0], [1]],
    [[2], [3]],
    [[4, 6], [5]],
  ]);
});

test('an order that a user wrote stays', () => {
  const steps = [step('Role', 'boat'), definition('boats'), step('RoleBinding', 'boat')];
  expect(stagesOf(steps)).toEqual([[[0]], [[1]], [[2]]]);
});

test('an object that two bundles list is applied in the order of the plan', () => {
  const steps = [step('Role', 'boat'), step('ConfigMap', 'shared'), step('ConfigMap', 'shared', 'ship.v1')];
  expect(stagesOf(steps)).toEqual([[[0, 1, 2]]]);
});
