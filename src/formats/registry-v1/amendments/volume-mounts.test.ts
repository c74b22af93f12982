import { expect, test } from 'vitest';
import { acmeCsv, registryFiles } from '../../../../test/support/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../../base/index.ts';
import { findCertificateProvider } from '../certificates.ts';
import { readRegistryBundle } from '../read.ts';
import { renderBundle } from '../render.ts';
import type { AmendmentChoice } from './index.ts';

const mount = (name: string, mountPath: string): JsonObject => ({ name, mountPath });

/** Where the container of the operator mounts what, as `name path`. */
function mountsWith(
  own: JsonObject[],
  configured: JsonObject[],
  { amendments = 'all', spec = {} }: { readonly amendments?: AmendmentChoice; readonly spec?: JsonObject } = {},
): string[] {
  const csv = structuredClone(acmeCsv(spec));
  const { install } = csv['spec'] as { install: { spec: { deployments: { spec: JsonObject }[] } } };
  const podSpec = objectAt(install.spec.deployments[0]?.spec, 'template', 'spec');
  for (const container of objectsAt(podSpec, 'containers')) container['volumeMounts'] = own;
  const certificates = findCertificateProvider('cert-manager');
  const objects = renderBundle(readRegistryBundle(registryFiles([csv])), {
    installNamespace: 'acme',
    deploymentConfig: { volumeMounts: configured },
    amendments,
    ...(certificates === undefined ? {} : { certificates }),
  });
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  const [container] = objectsAt(objectAt(deployment, 'spec', 'template', 'spec'), 'containers');
  return objectsAt(container, 'volumeMounts').map((one) => `${textAt(one, 'name')} ${textAt(one, 'mountPath')}`);
}

const own = [mount('config', '/etc/a'), mount('data', '/data')];

test('two requested mounts of one volume are both present, each at its path', () => {
  const configured = [mount('config', '/etc/a'), mount('config', '/etc/b')];
  expect(mountsWith(own, configured)).toEqual(['config /etc/a', 'data /data', 'config /etc/b']);
  expect(mountsWith(own, configured, { amendments: 'none' })).toEqual(['config /etc/b', 'data /data']);
  const moved = [mount('config', '/etc/b'), mount('config', '/etc/c')];
  expect(mountsWith(own, moved)).toEqual(['config /etc/b', 'data /data', 'config /etc/c']);
});

test('a configured mount replaces another volume at its path', () => {
  expect(mountsWith(own, [mount('mine', '/data')])).toEqual(['config /etc/a', 'mine /data']);
  expect(mountsWith(own, [mount('mine', '/data')], { amendments: 'none' })).toEqual([
    'config /etc/a',
    'data /data',
    'mine /data',
  ]);
});

test('where one mount of a volume is configured nothing differs from the reference', () => {
  for (const configured of [[mount('config', '/etc/b')], [mount('new', '/new')], own]) {
    expect(mountsWith(own, configured)).toEqual(mountsWith(own, configured, { amendments: 'none' }));
  }
});

test('certificates stay where they are mounted, unless a configured mount is at their path', () => {
  const webhook = {
    type: 'ValidatingAdmissionWebhook',
    generateName: 'v.acme.example',
    deploymentName: 'acme-widget-controller-manager',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const place = '/tmp/k8s-webhook-server/serving-certs';
  const served = (configured: JsonObject[]): string[] =>
    mountsWith([], configured, { spec: { webhookdefinitions: [webhook] } });
  expect(served([mount('new', '/new')])).toContain(`webhook-cert ${place}`);
  expect(served([mount('mine', place)])).toContain(`mine ${place}`);
  expect(served([mount('mine', place)])).not.toContain(`webhook-cert ${place}`);
});
