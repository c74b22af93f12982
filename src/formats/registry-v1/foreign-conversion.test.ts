import { expect, test } from 'vitest';
import { acmeCsv, installModes, registryFiles, sampleCrd } from '../../../test/support/index.ts';
import { type JsonObject, objectAt } from '../../base/index.ts';
import { readRegistryBundle } from './read.ts';
import type { RenderedObject } from './registry-bundle.ts';
import { renderBundle } from './render.ts';

const name = 'samples.samples.example.com';
const service = { namespace: 'system', name: 'webhook-service', path: '/convert' };
const crd = sampleCrd([{ name: 'v1', schema: { type: 'object' } }], {
  conversion: { strategy: 'Webhook', webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'] } },
  metadata: { annotations: { 'cert-manager.io/inject-ca-from': 'system/cert', note: 'kept' } },
});

function crdOf(dropForeignConversion: boolean, spec: JsonObject = {}): RenderedObject | undefined {
  const owned = [{ name, kind: 'Sample', version: 'v1' }];
  const csv = acmeCsv({ installModes: installModes('A'), customresourcedefinitions: { owned }, ...spec });
  const bundle = readRegistryBundle(registryFiles([csv, crd]));
  const objects = renderBundle(bundle, { installNamespace: 'acme', dropForeignConversion });
  return objects.find(({ kind }) => kind === 'CustomResourceDefinition');
}

test('a conversion webhook of another owner stays unless it is to be dropped', () => {
  expect(objectAt(crdOf(false), 'spec', 'conversion', 'webhook', 'clientConfig')).toEqual({ service });
  const dropped = crdOf(true);
  expect(objectAt(dropped, 'spec')).not.toHaveProperty('conversion');
  expect(dropped?.metadata).toEqual({ name, annotations: { note: 'kept' } });
});

test('a conversion that the operator serves is not dropped', () => {
  const webhook = {
    type: 'ConversionWebhook',
    generateName: 'c.acme.example',
    deploymentName: 'acme-widget-controller-manager',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    conversionCRDs: [name],
  };
  const own = crdOf(true, { webhookdefinitions: [webhook] });
  expect(objectAt(own, 'spec', 'conversion', 'webhook', 'clientConfig', 'service')).toMatchObject({
    namespace: 'acme',
  });
});
