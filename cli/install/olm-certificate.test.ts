import { expect, test } from 'vitest';
import { type JsonObject, listOfTexts, objectAt, objectsAt } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { readManifests } from './manifests.ts';
import { withOlm } from './olm.ts';
import type { Overlay } from './overlays.ts';
import { withShards } from './shards.ts';

async function shipped(overlay: Overlay): Promise<readonly KubeObject[]> {
  return await withOlm(withShards((await readManifests(overlay)) as unknown as KubeObject[], 2));
}

function find(objects: readonly KubeObject[], kind: string, name: string): JsonObject {
  return objects.find((object) => object.kind === kind && object.metadata.name === name) as unknown as JsonObject;
}

test('where the service CA of OpenShift issues certificates, the package server has that of its own Service', async () => {
  const objects = await shipped('openshift');
  expect(find(objects, 'Service', 'packages')).toMatchObject({
    metadata: { annotations: { 'service.beta.openshift.io/serving-cert-secret-name': 'packages-cert' } },
  });
  const pod = objectAt(find(objects, 'Deployment', 'core'), 'spec', 'template', 'spec');
  const [container] = objectsAt(pod, 'containers');
  const [option = ''] = listOfTexts(container, 'args').filter((arg) => arg.startsWith('--packages-tls-dir='));
  const mountPath = option.slice('--packages-tls-dir='.length);
  const mount = objectsAt(container, 'volumeMounts').find((one) => one['mountPath'] === mountPath);
  const volume = objectsAt(pod, 'volumes').find(({ name }) => name === mount?.['name']);
  expect(JSON.stringify(volume)).toContain('"name":"packages-cert"');
  expect(JSON.stringify(volume)).toContain('"path":"ca.crt"');
  expect(JSON.stringify(find(objects, 'Deployment', 'core-2'))).not.toContain('packages');
});

test('elsewhere the certificate of the other servers has its name', async () => {
  expect(JSON.stringify(await shipped('self-signed'))).not.toContain('packages-cert');
  const certificate = find(await shipped('cert-manager'), 'Certificate', 'core');
  expect(listOfTexts(objectAt(certificate, 'spec'), 'dnsNames')).toContain('packages.rukpak-system.svc');
});
