import { expect, test } from 'vitest';
import { fillTemplate } from './image-template.ts';

test('the version of the cluster is filled in', () => {
  const template = 'registry.example/cat:v{kube_major_version}.{kube_minor_version}.{kube_patch_version}';
  expect(fillTemplate(template, 'v1.33.4-eks-1')).toEqual({
    image: 'registry.example/cat:v1.33.4',
    isResolved: true,
    message: 'catalog image reference was successfully resolved',
  });
});

test.each([
  [
    'registry.example/cat:{kube_minor_version}',
    undefined,
    'because variable(s) "{kube_minor_version}" could not be resolved',
  ],
  ['registry.example/cat:{other}', 'v1.33.4', 'because one or more template(s) has improper syntax'],
  [
    'registry.example/{other}:{kube_major_version}',
    'main',
    'because variable(s) "{kube_major_version}" could not be resolved and one or more template(s) has improper syntax',
  ],
])('%s with version %s is not resolved', (template, version, reason) => {
  const { isResolved, message } = fillTemplate(template, version);
  expect([isResolved, message]).toEqual([false, `cannot construct catalog image reference, ${reason}`]);
});
