import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatYaml, type JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { bundleDeployment, conditionOf, startWorld, type World } from '../e2e/world.ts';

const asTest = { fieldManager: 'test' };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const extensions = 'apiextensions.k8s.io/v1';
const admission = 'admissionregistration.k8s.io/v1';
/** What `longshore up` works with. */
const own = [
  { apiVersion: extensions, kind: 'CustomResourceDefinition', name: 'bundles.core.rukpak.io' },
  { apiVersion: extensions, kind: 'CustomResourceDefinition', name: 'bundledeployments.core.rukpak.io' },
  { apiVersion: extensions, kind: 'CustomResourceDefinition', name: 'clustercatalogs.olm.operatorframework.io' },
  { apiVersion: extensions, kind: 'CustomResourceDefinition', name: 'platformoperators.platform.openshift.io' },
  { apiVersion: admission, kind: 'ValidatingWebhookConfiguration', name: 'rukpak-validating-webhook-configuration' },
  { apiVersion: admission, kind: 'ValidatingWebhookConfiguration', name: 'crd-validation-webhook' },
  { apiVersion: admission, kind: 'MutatingWebhookConfiguration', name: 'longshore-mutating-webhook-configuration' },
  { apiVersion: 'v1', kind: 'Secret', namespace: 'rukpak-system', name: 'rukpak-ca' },
  { apiVersion: 'v1', kind: 'Namespace', name: 'rukpak-system' },
  { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: 'v1alpha1.core.rukpak.io' },
];

test.each(own)('$kind $name of Longshore is never adopted', async (ref) => {
  const live = await world.kube.get(ref);
  const { managedFields: _managers, ownerReferences: _owners, resourceVersion: _version, ...metadata } = live.metadata;
  const { status: _status, ...content } = live;
  const files = { 'manifests/own.yaml': formatYaml({ ...content, metadata } as unknown as JsonObject) };
  const name = `adopts-${ref.name.replaceAll('.', '-')}`.slice(0, 40).replace(/-+$/, '');
  const desired = bundleDeployment(name, world.imageSource(`${name}:v1`, files));
  const annotations = { 'core.rukpak.io/adopt': 'true' };
  await world.kube.create({ ...desired, metadata: { name, annotations } } as KubeObject, asTest);
  const refused = await world.deploymentWith(name, { type: 'Installed', status: 'False' });
  expect(conditionOf(refused, 'Installed')?.message).toContain('it belongs to Longshore itself');
  expect((await world.kube.get(ref)).metadata.labels ?? {}).not.toHaveProperty(['core.rukpak.io/owner-name']);
});
