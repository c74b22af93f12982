import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/index.ts';
import { openBareCluster } from '../../test/support/index.ts';
import { applyManifests } from './apply-manifests.ts';
import { readManifests } from './manifests.ts';
import { explainAdmission } from './readiness.ts';

test('all that the API server would refuse is reported at once, and nothing is written', async () => {
  await using cluster = await openBareCluster();
  const { kube } = cluster;
  const spec = {
    group: 'core.rukpak.io',
    names: { kind: 'Bundle', plural: 'bundles', singular: 'bundle', listKind: 'BundleList' },
    scope: 'Namespaced',
    versions: [{ name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  };
  const metadata = { name: 'bundles.core.rukpak.io' };
  const old = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
  await kube.create(old as unknown as KubeObject, { fieldManager: 'another' });
  const shipped = (await readManifests('least')) as unknown as KubeObject[];
  const objects = shipped.map((object) => {
    return object.kind === 'PriorityClass' ? ({ ...object, value: 2_000_000_000 } as unknown as KubeObject) : object;
  });
  const options = { kube, isDryRun: false, signal: AbortSignal.timeout(300_000), onApplied: () => undefined };
  const refused = applyManifests(objects, options);
  await expect(refused).rejects.toThrow(
    /nothing was changed:\n {2}[^]*CustomResourceDefinition "bundles\.core\.rukpak\.io"/,
  );
  await expect(refused).rejects.toThrow('PriorityClass "longshore-critical"');
  const { items } = await kube.list({ apiVersion: 'v1', kind: 'Namespace' });
  expect(items.map(({ metadata: { name } }) => name)).not.toContain('rukpak-system');
});

const call = 'Internal error occurred: failed calling webhook "vbundles.core.rukpak.io": failed to call webhook: Post';
const service = '"https://rukpak-webhook-service.rukpak-system.svc:443/validate?timeout=10s"';
test.each([
  { missing: `${call} "https://127.0.0.1:9443/x": connection refused`, advice: 'a webhook beside the cluster' },
  { missing: `${call} ${service}: tls: failed to verify certificate: x509: unknown`, advice: 'does not trust' },
  { missing: `${call} ${service}: no endpoints available`, advice: 'does not reach the webhook' },
  { missing: 'the API server does not call the webhook yet', advice: 'ValidatingWebhookConfiguration' },
])('why admission does not work is followed by what to do: $advice', ({ missing, advice }) => {
  expect(explainAdmission(missing)[0]).toBe(`admission: ${missing}`);
  expect(explainAdmission(missing)[1]).toContain(advice);
  expect(explainAdmission(undefined)).toEqual(['admission: works by now']);
});
