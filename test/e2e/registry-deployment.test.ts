import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueServing, renewalMs, servingData } from '../../provisioners/serving-secret.ts';
import type { JsonObject } from '../../src/base/index.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { acmeCsv, eventually, installModes } from '../support/index.ts';
import { crd, type Files } from './contents.ts';
import { nextVersion, operator } from './registry-contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const registryClass = 'core-rukpak-io-registry';
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const unfit = { type: 'HasValidBundle', status: 'False', reason: 'UnpackFailed' };
const asTest = { fieldManager: 'test' };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

interface Options {
  readonly config?: JsonObject;
  readonly provisionerClassName?: string;
}

async function create(name: string, files: Files, options: Options = {}): Promise<void> {
  const { config, ...rest } = options;
  const source = world.imageSource(`${name}:v1`, files);
  const made = bundleDeployment(name, source, { templateClassName: registryClass, ...rest });
  const spec = made['spec'] as JsonObject;
  await world.kube.create({ ...made, spec: { ...spec, ...(config === undefined ? {} : { config }) } }, asTest);
}

const deploymentRef = (name: string) => ({ apiVersion, kind: 'BundleDeployment', name });

async function change(name: string, spec: JsonObject): Promise<void> {
  await world.kube.patch(deploymentRef(name), { spec }, asTest);
}

const apps = (namespace: string, name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name });

function templateAnnotations(deployment: KubeObject): JsonObject {
  const { template } = deployment['spec'] as { template: { metadata: { annotations: JsonObject } } };
  return template.metadata.annotations;
}

async function whenDeleted(...refs: Parameters<World['kube']['get']>[0][]): Promise<void> {
  await eventually(async () => {
    for (const ref of refs) expect(isNotFound(await errorOf(world.kube.get(ref)))).toBe(true);
  });
}

/** Everything that was installed for a deployment, by where it is. */
async function installedFor(name: string, kinds: readonly (readonly [string, string])[]): Promise<readonly string[]> {
  const labelSelector = `core.rukpak.io/owner-name=${name}`;
  const lists = await Promise.all(
    kinds.map(async ([version, kind]) => (await world.kube.list({ apiVersion: version, kind, labelSelector })).items),
  );
  return lists.flat().map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`);
}

const operatorKinds = [
  ['v1', 'ServiceAccount'],
  ['v1', 'Service'],
  ['v1', 'Secret'],
  ['v1', 'ConfigMap'],
  ['apps/v1', 'Deployment'],
  ['rbac.authorization.k8s.io/v1', 'Role'],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
  ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'],
] as const;

const accounts = ['acme-widget-controller'];

describe('an operator', () => {
  const name = 'acme';
  const namespace = 'acme-widget-system';
  const manager = apps(namespace, 'acme-widget-controller-manager');

  test.each(['core-rukpak-io-plain', registryClass])(
    'R1 is installed from a registry template by the class %s, and removed with nothing left',
    async (provisionerClassName) => {
      await create(name, operator([acmeCsv()]), { provisionerClassName });
      await world.deploymentWith(name, installed);
      expect(templateAnnotations(await world.kube.get(manager))).toMatchObject({ 'olm.targetNamespaces': '' });
      const { labels } = (await world.get('Namespace', namespace)).metadata;
      expect(labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'baseline' });
      const account = await world.get('ServiceAccount', accounts[0] ?? '', namespace);
      expect(account.metadata.annotations).toMatchObject({ 'olm.operatorframework.io/package-name': 'acme-widget' });
      await world.kube.delete(deploymentRef(name));
      await whenDeleted(deploymentRef(name), manager);
      await expect(installedFor(name, operatorKinds)).resolves.toEqual([]);
    },
    60_000,
  );

  test('R2 that cannot watch all namespaces fails with what to set, and is installed once that is set', async () => {
    await create('own', operator([acmeCsv({ installModes: installModes('O') }, { name: 'own.v1.0.0' })]));
    const message = conditionOf(await world.deploymentWith('own', unfit), 'HasValidBundle')?.message;
    expect(message).toContain(
      'convert registry+v1 bundle to plain+v0 bundle: AllNamespace install mode must be enabled',
    );
    expect(message).toContain('set spec.config.watchNamespace to "acme-widget-system", the install namespace');
    await change('own', { config: { watchNamespace: 'elsewhere' } });
    await eventually(async () => {
      const wrong = conditionOf(await world.deploymentWith('own', unfit), 'HasValidBundle')?.message;
      expect(wrong).toContain('must be "acme-widget-system" (the namespace where the operator is installed)');
    });
    await change('own', { config: { watchNamespace: namespace } });
    await world.deploymentWith('own', installed);
    expect(templateAnnotations(await world.kube.get(manager))).toMatchObject({ 'olm.targetNamespaces': namespace });
  });

  test('follows its configuration without a new Bundle', async () => {
    const bundles = (await world.ownedBundles('own')).map(({ metadata }) => metadata.uid);
    const tolerations = [{ key: 'dedicated', operator: 'Exists' }];
    await change('own', { config: { watchNamespace: namespace, deploymentConfig: { tolerations } } });
    await eventually(async () => {
      const { template } = (await world.kube.get(manager))['spec'] as { template: { spec: JsonObject } };
      expect(template.spec['tolerations']).toEqual(tolerations);
    });
    expect((await world.ownedBundles('own')).map(({ metadata }) => metadata.uid)).toEqual(bundles);
  });

  test('becomes its next version, and what that lacks is removed', async () => {
    const setting = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'setting' }, data: { a: 'b' } };
    await create('next', operator([acmeCsv({}, { name: 'next.v1.0.0' }), setting]), {
      config: { installNamespace: 'next-place' },
    });
    await world.deploymentWith('next', installed);
    const files = nextVersion(operator([acmeCsv({ version: '2.0.0' }, { name: 'next.v2.0.0' })]));
    await change('next', { template: { spec: { source: world.imageSource('next:v2', files) } } });
    await whenDeleted({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'next-place', name: 'setting' });
    await world.deploymentWith('next', installed);
    const { annotations } = (await world.kube.get(apps('next-place', 'acme-widget-controller-manager'))).metadata;
    expect(annotations).toMatchObject({ 'olm.operatorframework.io/bundle-version': '2.0.0' });
  });

  test('that needs a later Kubernetes is not installed', async () => {
    await create('late', operator([acmeCsv({ minKubeVersion: '1.99.0' }, { name: 'late.v1.0.0' })]));
    const message = conditionOf(await world.deploymentWith('late', unfit), 'HasValidBundle')?.message;
    expect(message).toContain('the operator needs Kubernetes 1.99.0 (spec.minKubeVersion), the cluster has v1.');
  });
});

/** A ClusterServiceVersion whose Pods need what only the level `privileged` lets in. */
function privilegedCsv(): JsonObject {
  const csv = structuredClone(acmeCsv({ version: '2.0.0' }, { name: 'acme-widget.v2.0.0' }));
  const { install } = csv['spec'] as unknown as {
    install: { spec: { deployments: [{ spec: { template: { spec: JsonObject } } }] } };
  };
  install.spec.deployments[0].spec.template.spec['hostNetwork'] = true;
  return csv;
}

describe('a namespace that an operator is installed in', () => {
  const levelLabel = 'pod-security.kubernetes.io/enforce';
  const levelOf = async (name: string): Promise<string | undefined> =>
    (await world.get('Namespace', name)).metadata.labels?.[levelLabel];

  async function upgrade(name: string): Promise<void> {
    const files = operator([privilegedCsv()]);
    await change(name, { template: { spec: { source: world.imageSource(`${name}:v2`, files) } } });
  }

  test('admits the Pods of the next version if Longshore created it', async () => {
    await create('growing', operator([acmeCsv()]), { config: { installNamespace: 'growing-place' } });
    await world.deploymentWith('growing', installed);
    await expect(levelOf('growing-place')).resolves.toBe('baseline');
    await upgrade('growing');
    await eventually(async () => expect(await levelOf('growing-place')).toBe('privileged'), { timeoutMs: 60_000 });
    await world.kube.delete(deploymentRef('growing'));
    await whenDeleted(deploymentRef('growing'));
  }, 120_000);

  test('retains the labels of its owner, and an Event reports what is missing', async () => {
    const metadata = { name: 'strict-place', labels: { [levelLabel]: 'restricted' } };
    await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata }, asTest);
    await create('guest', operator([acmeCsv()]), { config: { installNamespace: 'strict-place' } });
    await world.deploymentWith('guest', installed);
    await eventually(
      async () => {
        const { items } = await world.kube.list({ apiVersion: 'events.k8s.io/v1', kind: 'Event' });
        const [reported] = items.filter((event) => event['reason'] === 'NamespaceTooStrict');
        expect(reported?.['note']).toContain('Namespace "strict-place" enforces the Pod Security level "restricted"');
        expect(reported?.['note']).toContain(`kubectl label namespace strict-place --overwrite ${levelLabel}=baseline`);
      },
      { timeoutMs: 60_000 },
    );
    await expect(levelOf('strict-place')).resolves.toBe('restricted');
    await world.kube.delete(deploymentRef('guest'));
    await whenDeleted(deploymentRef('guest'));
  }, 120_000);
});

const wrongConfigs: readonly (readonly [config: JsonObject, text: string])[] = [
  [{ watchNamspace: 'a' }, 'unknown field "watchNamspace": expected one of installNamespace, '],
  [{ watchNamespace: 5 }, 'invalid type for field "watchNamespace": got number, want string'],
  [{ watchNamespaces: 'a' }, 'invalid type for field "watchNamespaces": got string, want array'],
  [
    { watchNamespace: 'a', watchNamespaces: ['b'] },
    'fields "watchNamespace" and "watchNamespaces" are mutually exclusive',
  ],
  [{ watchNamespace: 'Not_Legal' }, 'field "watchNamespace" must match pattern "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"'],
  [{ installNamespace: 'a.b' }, 'field "installNamespace" must match pattern'],
  [{ installNamespace: 'a'.repeat(64) }, 'field "installNamespace" must have maximum length of 63 (len=64)'],
  [{ watchNamespaces: [] }, 'field "watchNamespaces" must name at least one namespace'],
  [{ watchNamespaces: ['a', 'a'] }, 'field "watchNamespaces" must not name a namespace twice'],
  [{ watchNamespaces: ['a', 'B'] }, 'field "watchNamespaces.1" must match pattern'],
  [{ deploymentConfig: { env: { a: 'b' } } }, 'invalid type for field "deploymentConfig.env": got object, want array'],
  [{ deploymentConfig: { env: [{}] } }, 'required field "deploymentConfig.env.0.name" is missing'],
  [{ deploymentConfig: { env: [{ name: 'A' }, { name: 'A' }] } }, 'more than one entry with name "A"'],
  [{ deploymentConfig: { replicas: 3 } }, 'unknown field "deploymentConfig.replicas": expected one of affinity, '],
  [
    { deploymentConfig: { nodeSelector: { a: 1 } } },
    'field "deploymentConfig.nodeSelector.a": got number, want string',
  ],
  [
    { deploymentConfig: { resources: { limits: { cpu: 'much' } } } },
    'invalid value for field "deploymentConfig.resources.limits.cpu": expected a quantity such as 500m or 2Gi',
  ],
  [{ certProvider: 'someone' }, 'expected one of cert-manager, openshift-service-ca, self, none'],
  [{ amendments: 'some' }, 'invalid value for field "amendments": expected one of all, none'],
  [{ withoutAmendments: ['nope'] }, 'invalid value for field "withoutAmendments.0": expected one of api-versions, '],
];

test.each(wrongConfigs)('the configuration %j is refused when it is written', async (config, text) => {
  const message = String(await errorOf(create('refused', operator([acmeCsv()]), { config })));
  expect(message).toContain('spec.config: ');
  expect(message).toContain(text);
});

const webhook = (type: string, generateName: string): JsonObject => ({
  type,
  generateName,
  deploymentName: 'acme-widget-controller-manager',
  containerPort: 443,
  targetPort: 9443,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  failurePolicy: 'Ignore',
});

describe('certificates of webhooks', () => {
  const namespace = 'hooked-place';
  const secretName = 'acme-widget-controller-manager-service-cert';
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    name: 'vwidget.acme.example',
  };
  const conversion = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: 'gadgets.acme.example',
  };

  async function bundleOf(ref: typeof configuration): Promise<string> {
    const { webhooks } = (await world.kube.get(ref)) as unknown as {
      webhooks: { clientConfig: { caBundle: string } }[];
    };
    return Buffer.from(webhooks[0]?.clientConfig.caBundle ?? '', 'base64').toString();
  }

  async function secretData(): Promise<Record<string, string>> {
    const { data } = (await world.get('Secret', secretName, namespace)) as unknown as { data: Record<string, string> };
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    );
  }

  test('are issued by Longshore if there is no other provider', async () => {
    const rules = [
      { apiGroups: ['acme.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['widgets'] },
    ];
    const spec = {
      installModes: installModes('A'),
      customresourcedefinitions: { owned: [{ name: conversion.name, version: 'v1alpha1', kind: 'Gadget' }] },
      webhookdefinitions: [
        { ...webhook('ValidatingAdmissionWebhook', configuration.name), rules, webhookPath: '/validate' },
        { ...webhook('ConversionWebhook', 'cgadget.acme.example'), conversionCRDs: [conversion.name] },
      ],
    };
    const files = operator([acmeCsv(spec, { name: 'hooked.v1.0.0' }), crd('Gadget', 'acme.example')]);
    await create('hooked', files, { config: { installNamespace: namespace } });
    await world.deploymentWith('hooked', installed);
    await world.deploymentWith('hooked', { type: 'Healthy', status: 'True' });
    const data = await secretData();
    const authority = await bundleOf(configuration);
    expect(authority).toBe(data['ca.crt']);
    const certificate = new X509Certificate(data['tls.crt'] ?? '');
    expect(certificate.verify(new X509Certificate(authority).publicKey)).toBe(true);
    expect(certificate.checkHost(`acme-widget-controller-manager-service.${namespace}.svc`)).toBeDefined();
    const { spec: converted } = (await world.kube.get(conversion)) as unknown as {
      spec: { conversion: { webhook: { clientConfig: { caBundle: string } } } };
    };
    expect(Buffer.from(converted.conversion.webhook.clientConfig.caBundle, 'base64').toString()).toBe(authority);
  });

  test('stay the same when the rest changes', async () => {
    const before = await secretData();
    await change('hooked', {
      config: { installNamespace: namespace, deploymentConfig: { annotations: { note: 'changed' } } },
    });
    await eventually(async () => {
      const manager = await world.kube.get(apps(namespace, 'acme-widget-controller-manager'));
      expect(templateAnnotations(manager)).toMatchObject({ note: 'changed' });
    });
    await world.deploymentWith('hooked', installed);
    await expect(secretData()).resolves.toEqual(before);
  });

  test('are created again when their Secret is lost, and the callers of the webhook get the new authority', async () => {
    const before = await secretData();
    await world.kube.delete({ apiVersion: 'v1', kind: 'Secret', namespace, name: secretName });
    await eventually(async () => {
      const data = await secretData();
      expect(data['ca.crt']).not.toBe(before['ca.crt']);
      await expect(bundleOf(configuration)).resolves.toBe(data['ca.crt']);
    });
  });

  /** Another certificate in the Secret, as old as that. */
  async function age(nowMs: number): Promise<Record<string, string>> {
    const host = `acme-widget-controller-manager-service.${namespace}`;
    const pair = await issueServing([host, `${host}.svc`, `${host}.svc.cluster.local`], '', nowMs);
    const secret = { apiVersion: 'v1', kind: 'Secret', namespace, name: secretName };
    await world.kube.patch(secret, { data: servingData(pair) }, { fieldManager: 'someone' });
    return await secretData();
  }

  test('are renewed in time, even if nothing else happens', async () => {
    const day = 86_400_000;
    const ageMs = renewalMs(await issueServing(['localhost'], '', 0));
    const old = await age(Date.now() + 6_000 - ageMs);
    // It is published, and trusted, before it is renewed.
    await eventually(async () => expect(await bundleOf(configuration)).toContain(old['ca.crt']));
    await eventually(async () => expect((await secretData())['tls.crt']).not.toBe(old['tls.crt']));
    const { 'tls.crt': certificate = '', 'ca.crt': authorities = '' } = await secretData();
    expect(Date.parse(new X509Certificate(certificate).validTo)).toBeGreaterThan(Date.now() + 300 * day);
    expect(authorities).toContain(old['ca.crt']);
    await eventually(async () => expect(await bundleOf(configuration)).toBe((await secretData())['ca.crt']));
  });

  test('are not renewed while the deployment is paused, which is reported while they are valid', async () => {
    const annotations = { 'core.rukpak.io/paused': 'true' };
    await world.kube.patch(deploymentRef('hooked'), { metadata: { annotations } }, asTest);
    await world.deploymentWith('hooked', { type: 'Paused', status: 'True', reason: 'Paused' });
    const old = await age(Date.now() - 300 * 86_400_000);
    await world.kube.patch(deploymentRef('hooked'), { metadata: { annotations: { note: 'look' } } }, asTest);
    const late = await world.deploymentWith('hooked', {
      type: 'Paused',
      status: 'True',
      reason: 'CertificatesOverdue',
    });
    expect(conditionOf(late, 'Paused')?.message).toContain(
      `the certificate in Secret "${secretName}" in namespace "${namespace}" is good until `,
    );
    expect(await secretData()).toEqual(old);
    await world.kube.patch(
      deploymentRef('hooked'),
      { metadata: { annotations: { 'core.rukpak.io/paused': null } } },
      asTest,
    );
    await eventually(async () => expect((await secretData())['tls.crt']).not.toBe(old['tls.crt']));
  });

  test('are removed with the operator', async () => {
    await world.kube.delete(deploymentRef('hooked'));
    const secret = { apiVersion: 'v1', kind: 'Secret', namespace, name: secretName };
    await whenDeleted(deploymentRef('hooked'), secret, configuration, conversion);
    await expect(installedFor('hooked', operatorKinds)).resolves.toEqual([]);
  });
});
