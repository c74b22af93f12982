import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { acmeCsv, eventually, installModes } from '../support/index.ts';
import { operator } from './registry-contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const asTest = { fieldManager: 'test' };
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const failing = { deploymentConfig: { annotations: { 'apiserver.longshore.dev/simulate': 'fail' } } };
const webhookRef = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  name: 'vconfig.acme.example',
};
const deploymentRef = { apiVersion, kind: 'BundleDeployment', name: 'guard' };

/** An operator that validates ConfigMaps. */
function guardFiles(webhookPath: string, generateName = webhookRef.name): ReturnType<typeof operator> {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  const webhook = {
    type: 'ValidatingAdmissionWebhook',
    generateName,
    deploymentName: 'acme-widget-controller-manager',
    containerPort: 443,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Ignore',
    webhookPath,
    rules,
  };
  return operator([acmeCsv({ installModes: installModes('A'), webhookdefinitions: [webhook] }, { name: 'guard.v1' })]);
}

async function create(world: World, config: JsonObject): Promise<void> {
  const source = world.imageSource('guard:v1', guardFiles('/validate'));
  const made = bundleDeployment('guard', source, { templateClassName: 'core-rukpak-io-registry' });
  await world.kube.create({ ...made, spec: { ...(made['spec'] as JsonObject), config } }, asTest);
}

async function pathOf(world: World): Promise<string | undefined> {
  const { webhooks } = (await world.kube.get(webhookRef)) as KubeObject & {
    webhooks: { clientConfig: { service: { path?: string } } }[];
  };
  return webhooks[0]?.clientConfig.service.path;
}

async function healthWith(world: World, text: string): Promise<void> {
  await eventually(
    async () => {
      const health = conditionOf(await world.get('BundleDeployment', 'guard'), 'Healthy');
      expect(health?.message).toContain(text);
    },
    { timeoutMs: 60_000 },
  );
}

const waiting =
  '(admissionregistration.k8s.io/v1, Kind=ValidatingWebhookConfiguration)(vconfig.acme.example): object InProgress: waits for Deployment "acme-widget-controller-manager"';

test('a webhook is installed when its server is ready, and a new one not before the next version is', async () => {
  await using world = await startWorld();
  await create(world, failing);
  await world.deploymentWith('guard', installed);
  await healthWith(world, waiting);
  expect(isNotFound(await errorOf(world.kube.get(webhookRef)))).toBe(true);
  const withoutConfig = { spec: { config: null } };
  await world.kube.patch(deploymentRef, withoutConfig, asTest);
  await eventually(async () => expect(await pathOf(world)).toBe('/validate'), { timeoutMs: 60_000 });
  await eventually(async () => await world.deploymentWith('guard', { type: 'Healthy', status: 'True' }), {
    timeoutMs: 60_000,
  });
  const template = { spec: { source: world.imageSource('guard:v2', guardFiles('/validate-v2')) } };
  await world.kube.patch(deploymentRef, { spec: { config: failing, template } }, asTest);
  await healthWith(world, waiting);
  await expect(pathOf(world)).resolves.toBe('/validate');
  await world.kube.patch(deploymentRef, withoutConfig, asTest);
  await eventually(async () => expect(await pathOf(world)).toBe('/validate-v2'), { timeoutMs: 60_000 });
  await world.kube.delete(deploymentRef);
  await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(webhookRef)))).toBe(true), {
    timeoutMs: 60_000,
  });
}, 300_000);

test('a webhook whose server never becomes ready does not wait longer than the health deadline', {
  tags: 'long',
  timeout: 120_000,
}, async () => {
  await using world = await startWorld(['--health-deadline', '2']);
  await create(world, failing);
  await world.deploymentWith('guard', installed);
  await eventually(async () => expect(await pathOf(world)).toBe('/validate'), { timeoutMs: 60_000 });
});

test('a renamed webhook leaves no gap: the previous one stays until the new one is installed', {
  tags: 'long',
  timeout: 300_000,
}, async () => {
  await using world = await startWorld();
  const renamed = { ...webhookRef, name: 'vrenamed.acme.example' };
  const isThere = async (ref: typeof webhookRef): Promise<boolean> => {
    try {
      await world.kube.get(ref);
      return true;
    } catch (thrown) {
      if (isNotFound(thrown)) return false;
      throw thrown;
    }
  };
  await create(world, {});
  await eventually(async () => expect(await pathOf(world)).toBe('/validate'));
  const template = { spec: { source: world.imageSource('guard:v2', guardFiles('/validate', renamed.name)) } };
  await world.kube.patch(deploymentRef, { spec: { config: failing, template } }, asTest);
  await healthWith(world, 'ValidatingWebhookConfiguration)(vrenamed.acme.example): object InProgress: waits for');
  await expect(isThere(webhookRef)).resolves.toBe(true);
  await expect(isThere(renamed)).resolves.toBe(false);
  await world.kube.patch(deploymentRef, { spec: { config: null } }, asTest);
  await eventually(async () => {
    expect([await isThere(webhookRef), await isThere(renamed)]).toEqual([false, true]);
  });
  await world.deploymentWith('guard', { type: 'Healthy', status: 'True' });
  await world.kube.delete(deploymentRef);
  await eventually(async () => expect([await isThere(renamed), await isThere(webhookRef)]).toEqual([false, false]));
});
