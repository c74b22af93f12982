/** The value of absent members in a typed program: `null`, which is not the same as an empty list. */
import { expect, test } from 'vitest';
import { acmeCsv, registryFiles } from '../../../test/support/index.ts';
import { type JsonObject, objectAt } from '../../base/index.ts';
import { findCertificateProvider } from './certificates.ts';
import { readRegistryBundle } from './read.ts';
import type { RenderedObject } from './registry-bundle.ts';
import { renderBundle } from './render.ts';

function render(spec: JsonObject, more: JsonObject = {}): readonly RenderedObject[] {
  const csv = acmeCsv({ install: { strategy: 'deployment', spec }, ...more });
  const certificates = findCertificateProvider('cert-manager');
  return renderBundle(readRegistryBundle(registryFiles([csv])), {
    installNamespace: 'acme',
    amendments: 'none',
    deploymentConfig: { env: [{ name: 'A', value: 'b' }] },
    ...(certificates === undefined ? {} : { certificates }),
  });
}

test('a role of a permission without rules has none, and one of an empty list has that', () => {
  const clusterPermissions = [{ serviceAccountName: 'a' }, { serviceAccountName: 'b', rules: [] }];
  const deployments = [{ name: 'a', spec: { template: { metadata: { labels: { a: 'b' } }, spec: {} } } }];
  const roles = render({ deployments, clusterPermissions }).filter(({ kind }) => kind === 'ClusterRole');
  expect(roles.map(({ rules }) => rules)).toEqual([undefined, []]);
});

test('a Deployment without containers gets none by its certificates and its configuration', () => {
  const deployments = [{ name: 'a', spec: { template: { metadata: { labels: { a: 'b' } }, spec: {} } } }];
  const webhook = {
    type: 'ValidatingAdmissionWebhook',
    generateName: 'v.acme.example',
    deploymentName: 'a',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const objects = render({ deployments }, { webhookdefinitions: [webhook] });
  const podSpec = objectAt(
    objects.find(({ kind }) => kind === 'Deployment'),
    'spec',
    'template',
    'spec',
  );
  expect(podSpec?.['containers']).toBeNull();
  expect(podSpec?.['volumes']).toHaveLength(2);
});
