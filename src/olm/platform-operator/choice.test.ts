import { expect, test } from 'vitest';
import type { KubeObject } from '../../kube/index.ts';
import { choiceOf, deploymentNameFor, formatChoice, formatResolved, resolvedOf } from './choice.ts';

const choice = {
  package: 'tide',
  bundleDeployment: 'tide',
  bundle: 'tide.v1.0.0',
  version: '1.0.0',
  release: '3',
  image: 'registry.example/tide:v1',
  channel: 'stable',
  catalog: { name: 'shop', digest: 'sha256:1' },
  reason: 'it is the highest',
};

function deployment(annotation: string): KubeObject {
  return {
    apiVersion: 'core.rukpak.io/v1alpha1',
    kind: 'BundleDeployment',
    metadata: { name: 'tide', annotations: { 'platform.openshift.io/choice': annotation } },
  };
}

test('what was chosen is read from the annotation and from the status as it was written', () => {
  expect(choiceOf(deployment(formatChoice(choice)))).toEqual(choice);
  const resolved = { main: choice, dependencies: [{ ...choice, package: 'base', bundleDeployment: 'base' }] };
  const status = { activeBundleDeployment: { name: 'tide' }, resolved: formatResolved(resolved) };
  expect(resolvedOf('tide', status as never)).toEqual(resolved);
  expect(resolvedOf('tide', undefined)).toBeUndefined();
});

test.each([
  '',
  'null',
  '[]',
  '{"package":"tide"}',
  '{"package":1,"bundle":"b","version":"1","image":"i","catalog":{"name":"c"}}',
  '{"package":"p","bundle":"b","version":"1","image":"i","catalog":{}}',
  `{"package":"${'p'.repeat(70_000)}"}`,
])('an annotation that is no choice counts as none: %#', (annotation) => {
  expect(choiceOf(deployment(annotation))).toBeUndefined();
});

test('the name of a BundleDeployment is valid, however long that of the package is', () => {
  expect(deploymentNameFor('harbour')).toBe('harbour');
  const [one, other] = ['a', 'b'].map((end) => deploymentNameFor(`${'long-'.repeat(11)}${end}`));
  expect(one).toMatch(/^(long-)+l-[0-9a-f]{8}$/);
  expect(one?.length).toBeLessThanOrEqual(45);
  expect(one).not.toBe(other);
});
