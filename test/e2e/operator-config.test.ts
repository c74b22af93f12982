import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueServing, servingData } from '../../provisioners/serving-secret.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import { findObject, type KubeObject } from '../../src/kube/index.ts';
import { acmeCsv, eventually } from '../support/index.ts';
import { operator } from './registry-contents.ts';
import { bundleDeployment, startWorld, type World } from './world.ts';

const asTest = { fieldManager: 'test' };
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const namespace = 'switched-place';
const serviceName = 'acme-widget-controller-manager-service';
const secretName = `${serviceName}-cert`;
const deploymentRef = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'switched' };
const configuration = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  name: 'vswitched.acme.example',
};
const inPlace = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, namespace, name });
const secretRef = inPlace('v1', 'Secret', secretName);

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function find(ref: Parameters<World['kube']['get']>[0]): Promise<JsonObject | undefined> {
  return (await findObject(world.kube, ref)) as JsonObject | undefined;
}

async function configure(config: JsonObject): Promise<void> {
  await world.kube.patch(deploymentRef, { spec: { config: { ...config, installNamespace: namespace } } }, asTest);
}

/** The API of cert-manager, which is not served. */
function certManagerCrd(kind: string): KubeObject {
  const plural = `${kind.toLowerCase()}s`;
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const spec = {
    group: 'cert-manager.io',
    scope: 'Namespaced',
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
  };
  const metadata = { name: `${plural}.cert-manager.io` };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec } as KubeObject;
}

async function trustedBy(): Promise<string> {
  const [webhook] = objectsAt(await find(configuration), 'webhooks');
  return textAt(objectAt(webhook, 'clientConfig'), 'caBundle');
}

const annotationsOf = (object: JsonObject | undefined): JsonObject => objectAt(object, 'metadata', 'annotations') ?? {};

describe('the config of an operator', { shuffle: false }, () => {
  test('another provider of certificates takes over, and nothing of the previous one is left', async () => {
    for (const kind of ['Issuer', 'Certificate']) await world.kube.create(certManagerCrd(kind), asTest);
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
    const webhook = {
      type: 'ValidatingAdmissionWebhook',
      generateName: configuration.name,
      deploymentName: 'acme-widget-controller-manager',
      containerPort: 443,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      failurePolicy: 'Ignore',
      webhookPath: '/validate',
      rules,
    };
    const files = operator([acmeCsv({ webhookdefinitions: [webhook] })]);
    const made = bundleDeployment('switched', world.imageSource('switched:v1', files), {
      templateClassName: 'core-rukpak-io-registry',
    });
    const config = { certProvider: 'cert-manager', installNamespace: namespace };
    await world.kube.create({ ...made, spec: { ...(made['spec'] as JsonObject), config } }, asTest);
    await world.deploymentWith('switched', installed);
    await world.deploymentWith('switched', { type: 'Healthy', status: 'False' });
    const certificate = inPlace('cert-manager.io/v1', 'Certificate', secretName);
    const { name: issuerName } = objectAt(await find(certificate), 'spec', 'issuerRef') as { name: string };
    const issuer = inPlace('cert-manager.io/v1', 'Issuer', issuerName);
    expect(await find(issuer)).toBeDefined();
    // As cert-manager would.
    const pair = await issueServing([serviceName], '', Date.now());
    const metadata = {
      name: secretName,
      namespace,
      annotations: { 'cert-manager.io/certificate-name': secretName },
    };
    const secret = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, data: servingData(pair) };
    await world.kube.create(secret, { fieldManager: 'cert-manager' });

    await configure({ certProvider: 'self' });
    await eventually(async () => {
      const data = objectAt(await find(secretRef), 'data');
      expect(textAt(data, 'ca.crt')).not.toBe(secret.data['ca.crt']);
      await expect(trustedBy()).resolves.toBe(textAt(data, 'ca.crt'));
      expect([await find(certificate), await find(issuer)]).toEqual([undefined, undefined]);
      expect(annotationsOf(await find(configuration))).not.toHaveProperty(['cert-manager.io/inject-ca-from']);
    });

    await configure({ certProvider: 'openshift-service-ca' });
    const service = inPlace('v1', 'Service', serviceName);
    const servingKey = 'service.beta.openshift.io/serving-cert-secret-name';
    await eventually(async () => {
      expect(await find(secretRef)).toBeUndefined();
      expect(annotationsOf(await find(service))).toHaveProperty([servingKey]);
      expect(annotationsOf(await find(configuration))).not.toHaveProperty(['core.rukpak.io/inject-ca-from']);
      await expect(trustedBy()).resolves.toBe('');
    });

    await configure({ certProvider: 'none' });
    await eventually(async () => expect(annotationsOf(await find(service))).not.toHaveProperty([servingKey]));
    await world.deploymentWith('switched', installed);
  }, 240_000);

  test('an operator that watches other namespaces has its permissions there, and no longer in the former ones', async () => {
    for (const name of ['watched-one', 'watched-two']) {
      await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, asTest);
    }
    const rolesIn = async (): Promise<readonly string[]> => {
      const target = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' };
      const labelSelector = 'core.rukpak.io/owner-name=switched';
      const { items } = await world.kube.list({ ...target, labelSelector });
      return [...new Set(items.map((role) => role.metadata.namespace ?? ''))].sort();
    };
    await configure({ certProvider: 'none', watchNamespaces: ['watched-one', 'watched-two'] });
    await eventually(async () => expect(await rolesIn()).toEqual([namespace, 'watched-one', 'watched-two']));
    await configure({ certProvider: 'none', watchNamespaces: ['watched-two'] });
    await eventually(async () => expect(await rolesIn()).toEqual([namespace, 'watched-two']));
    await world.kube.delete(deploymentRef);
    await eventually(async () => {
      expect(await find(deploymentRef)).toBeUndefined();
      expect(await find({ apiVersion: 'v1', kind: 'Namespace', name: namespace })).toBeUndefined();
      expect(await rolesIn()).toEqual([]);
    });
    await expect(find({ apiVersion: 'v1', kind: 'Namespace', name: 'watched-two' })).resolves.toBeDefined();
  }, 240_000);
});
