import { expect, test } from 'vitest';
import { KubeRejection } from '../../kube/index.ts';
import { withoutUndeclaredField } from './undeclared-fields.ts';

const object = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { fresh: 1, containers: [{ name: 'x' }, { name: 'a[b', ports: [{ containerPort: 1, fresh: 2 }] }] },
};
const { fresh: _, ...declared } = object.spec;

test.each([
  ['.spec.fresh', declared],
  ['.spec.containers[name="a[b"].ports', { ...object.spec, containers: [{ name: 'x' }, { name: 'a[b' }] }],
  ['.spec.containers[0].name', { ...object.spec, containers: [{}, object.spec.containers[1]] }],
])('takes out %s, which the schema lacks', (path, spec) => {
  const message = `failed to create typed patch object (default/a; /v1, Kind=Pod): ${path}: field not declared in schema`;
  const refusal = new KubeRejection({ status: 500, reason: 'InternalError', message, causes: [], isStatus: true });
  expect(withoutUndeclaredField(object, refusal)).toEqual({ ...object, spec });
});
