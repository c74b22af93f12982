import { expect, test } from 'vitest';
import { acmeCsv, installModes, registryFiles } from '../../../test/support/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { readRegistryBundle } from './read.ts';
import { assertSupported, type Support } from './support.ts';

function check(spec: JsonObject, support: Partial<Support> = {}): () => void {
  const bundle = readRegistryBundle(registryFiles([acmeCsv(spec)]));
  return () => assertSupported(bundle, { hasCertificates: true, amendments: 'none', ...support });
}

const api = { name: 'tides', group: 'tide.example', version: 'v1', kind: 'Tide', deploymentName: 'm' };
const webhook = {
  type: 'ValidatingAdmissionWebhook',
  generateName: 'v.acme.example',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};

test('RV-G1 owned aggregated APIs need their amendment', () => {
  const spec = { apiservicedefinitions: { owned: [api] } };
  expect(check(spec)).toThrow('unsupported bundle: apiServiceDefintions are not supported');
  expect(check(spec, { amendments: { without: ['api-services'] } })).toThrow(/apiServiceDefintions/);
  expect(check(spec, { amendments: 'all' })).not.toThrow();
});

test('RV-G2 webhooks need certificates', () => {
  const spec = { webhookdefinitions: [webhook] };
  expect(check(spec, { hasCertificates: false })).toThrow(
    'unsupported bundle: webhookDefinitions are not supported: certificate provider is nil',
  );
  expect(check(spec)).not.toThrow();
});

test('RV-G3 a bundle for several namespaces only is refused without amendments, one for none always', () => {
  const text =
    'unsupported bundle: bundle must support at least one of [AllNamespaces SingleNamespace OwnNamespace] install modes';
  expect(check({ installModes: installModes('M') })).toThrow(text);
  expect(check({ installModes: installModes('M') }, { amendments: 'all' })).not.toThrow();
  expect(check({ installModes: [] }, { amendments: 'all' })).toThrow(text);
});
