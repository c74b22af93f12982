import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { type JsonObject, parseYamlDocuments, systemClock } from '../../src/base/index.ts';
import { createKubeClient, describeRef, type KubeObject, loadClusterAccess, refOf } from '../../src/kube/index.ts';
import { podSecurityLevel } from '../../src/pod-security/index.ts';
import { webhookConfigurations } from '../../webhook/index.ts';
import { parseOptions } from '../command/options.ts';
import { controllersOptions, readControllersConfig, readWebhookConfig, webhookOptions } from '../settings/processes.ts';
import { readManifests } from './manifests.ts';
import { type Overlay, overlays } from './overlays.ts';

const systemNamespace = 'rukpak-system';
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const why = hasKubectl ? '' : ' (skipped: kubectl is not installed)';

async function manifestsOf(overlay: Overlay): Promise<KubeObject[]> {
  return (await readManifests(overlay)) as unknown as KubeObject[];
}

const nameOf = (object: KubeObject): string => describeRef(refOf(object));

test.skipIf(!hasKubectl).each(overlays)(
  `what is shipped of %s is what kubectl kustomize builds${why}`,
  async (overlay) => {
    const built = execFileSync('kubectl', ['kustomize', `deploy/overlays/${overlay}`], { encoding: 'utf8' });
    const byName = (objects: readonly JsonObject[]): Map<string, JsonObject> =>
      new Map(objects.map((object) => [nameOf(object as unknown as KubeObject), object]));
    expect(byName(await readManifests(overlay))).toEqual(byName(parseYamlDocuments(overlay, built) as JsonObject[]));
  },
);

test.skipIf(!hasKubectl)(`the folder of the CustomResourceDefinitions can be built by itself${why}`, () => {
  const built = parseYamlDocuments('crds', execFileSync('kubectl', ['kustomize', 'crds'], { encoding: 'utf8' }));
  const definition = expect.objectContaining({ kind: 'CustomResourceDefinition' }) as unknown;
  expect(built).toEqual(Array<unknown>(5).fill(definition));
});

test.each(overlays)('%s has the objects that scripts for RukPak name', async (overlay) => {
  const names = (await manifestsOf(overlay)).map(nameOf);
  const requested = [
    'Namespace "rukpak-system"',
    'Deployment "core"',
    'Service "core"',
    'ServiceAccount "core-admin"',
    'Deployment "rukpak-webhooks"',
    'Service "rukpak-webhook-service"',
    'ServiceAccount "rukpak-webhooks-admin"',
    'ClusterRole "bundle-reader"',
    'ClusterRole "bundle-uploader"',
    'ValidatingWebhookConfiguration "rukpak-validating-webhook-configuration"',
    'ValidatingWebhookConfiguration "crd-validation-webhook"',
    'CustomResourceDefinition "bundles.core.rukpak.io"',
    'CustomResourceDefinition "bundledeployments.core.rukpak.io"',
    // OpenShift has its own.
    ...(overlay === 'openshift'
      ? []
      : [
          'CustomResourceDefinition "clustercatalogs.olm.operatorframework.io"',
          'MutatingWebhookConfiguration "longshore-mutating-webhook-configuration"',
        ]),
    'CustomResourceDefinition "platformoperators.platform.openshift.io"',
  ];
  expect(requested.filter((name) => !names.some((found) => found.startsWith(name)))).toEqual([]);
});

interface Workload {
  readonly spec: { readonly template: { readonly spec: JsonObject & { readonly containers: readonly JsonObject[] } } };
}

test("where ClusterCatalogs are another program's, nothing of ours is asked about them", async () => {
  const names = (await manifestsOf('openshift')).map(nameOf);
  expect(names.filter((name) => name.includes('Mutating') || name.includes('clustercatalogs'))).toEqual([]);
  const service = { namespace: systemNamespace, name: 'rukpak-webhook-service', port: 443 };
  const registered = webhookConfigurations({ address: { service }, systemNamespace, hasClusterCatalogs: false });
  expect(registered.map(({ kind }) => kind)).toEqual(registered.map(() => 'ValidatingWebhookConfiguration'));
});

test.each(overlays)('the namespace enforces what the pods of %s keep to: restricted', async (overlay) => {
  const manifests = await manifestsOf(overlay);
  const namespace = manifests.find(({ kind }) => kind === 'Namespace');
  expect(namespace?.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  const workloads = manifests.filter(({ kind }) => kind === 'Deployment') as unknown as Workload[];
  expect(workloads.length).toBe(2);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  for (const { spec } of workloads) {
    expect(podSecurityLevel([spec.template as unknown as JsonObject])).toBe('restricted');
    for (const container of spec.template.spec.containers) {
      expect(container).toMatchObject({
        image: `longshore:${version}`,
        securityContext: { readOnlyRootFilesystem: true },
        resources: { requests: { cpu: expect.anything() as unknown, memory: expect.anything() as unknown } },
        livenessProbe: { httpGet: { path: '/healthz' } },
        readinessProbe: { httpGet: { path: '/readyz' } },
      });
    }
  }
});

test.each(overlays)(
  'Q30 %s runs two of each, and keeps one of them through a drain, behind network policies',
  async (overlay) => {
    const manifests = await manifestsOf(overlay);
    const selectorsOf = (kind: string, path: (spec: JsonObject) => unknown): unknown[] =>
      manifests.filter((object) => object.kind === kind).map(({ spec }) => path(spec as unknown as JsonObject));
    const pods = selectorsOf('Deployment', ({ selector }) => selector);
    expect(selectorsOf('Deployment', ({ replicas }) => replicas)).toEqual([2, 2]);
    expect(selectorsOf('PodDisruptionBudget', ({ selector }) => selector)).toEqual(pods);
    expect(selectorsOf('NetworkPolicy', ({ podSelector }) => podSelector)).toEqual(pods);
  },
);

test.each(overlays)('the arguments of the containers of %s are those of the program', async (overlay) => {
  const manifests = await manifestsOf(overlay);
  const workloads = manifests.filter(({ kind }) => kind === 'Deployment') as unknown as Workload[];
  for (const { args } of workloads.flatMap(({ spec }) => spec.template.spec.containers)) {
    const [name, ...rest] = args as string[];
    expect(['webhook', 'controllers']).toContain(name);
    const isWebhook = name === 'webhook';
    const { positionals } = parseOptions(isWebhook ? webhookOptions : controllersOptions, rest, {});
    expect(positionals).toEqual([]);
    if (isWebhook) readWebhookConfig(parseOptions(webhookOptions, rest, {}).values);
    else readControllersConfig(parseOptions(controllersOptions, rest, {}).values);
  }
});

test('the webhook configurations are those that the webhook registers', async () => {
  const service = { namespace: systemNamespace, name: 'rukpak-webhook-service', port: 443 };
  const registered = webhookConfigurations({ address: { service }, systemNamespace });
  const shipped = (await readManifests('self-signed')).filter(
    ({ kind }) => typeof kind === 'string' && kind.endsWith('WebhookConfiguration'),
  );
  const labels = { 'app.kubernetes.io/part-of': 'longshore' };
  const byName = (a: JsonObject, b: JsonObject): number => JSON.stringify(a).localeCompare(JSON.stringify(b));
  expect(shipped.toSorted(byName)).toEqual(
    registered.map((one): JsonObject => ({ ...one, metadata: { ...one.metadata, labels } })).toSorted(byName),
  );
});

test.each(overlays)('an API server takes every object of %s', async (overlay) => {
  await using server = await startApiServer({ simulation: false });
  const kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
  try {
    const isForeign = ({ apiVersion }: KubeObject): boolean => apiVersion.startsWith('cert-manager.io/');
    const own = (await manifestsOf(overlay)).filter((object) => !isForeign(object));
    expect(own.length).toBeGreaterThan(20);
    for (const object of own) await kube.apply(object, { fieldManager: 'test' });
  } finally {
    kube.close();
  }
});

/** RukPak's own, which its users bind and its tools look for. */
const namesOfRukpak = ['bundle-reader', 'bundle-uploader', 'core-admin', 'crd-validation-webhook'];

test.each(overlays)('no cluster-scoped object of the overlay %s has a name that anybody might use', async (overlay) => {
  const names = (await manifestsOf(overlay))
    .filter(({ kind, metadata }) => metadata.namespace === undefined && kind !== 'CustomResourceDefinition')
    .map(({ metadata }) => metadata.name ?? '');
  expect(names.length).toBeGreaterThan(8);
  expect(names.filter((name) => !/^(longshore|rukpak)-/.test(name) && !namesOfRukpak.includes(name))).toEqual([]);
});

/** Names that RukPak has, which its users know. */
const namesOfRukPak = new Set(['bundle-reader', 'bundle-uploader', 'core-admin', 'crd-validation-webhook']);

test.each(overlays)('objects of %s without a namespace have names that no bundle would choose', async (overlay) => {
  const objects = await manifestsOf(overlay);
  const free = objects.filter(({ kind, metadata: { name = '', namespace } }) => {
    const isOwn = kind === 'Namespace' || kind === 'CustomResourceDefinition' || /^(longshore|rukpak)-/.test(name);
    return namespace === undefined && !isOwn && !namesOfRukPak.has(name);
  });
  expect(free.map(nameOf)).toEqual([]);
});
