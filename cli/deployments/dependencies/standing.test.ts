import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../../apiserver/index.ts';
import { bundleDeploymentResource, bundlePropertiesAnnotation, bundleResource } from '../../../src/api/index.ts';
import { systemClock } from '../../../src/base/index.ts';
import { createKubeClient, type KubeClient, type KubeObject, loadClusterAccess } from '../../../src/kube/index.ts';
import { sampleCrd } from '../../../test/support/sample-crd.ts';
import { type DefinitionFate, readFates } from './removal.ts';
import { type Reading, readStandings, type Standing } from './standing.ts';
import { dependenciesText } from './text.ts';

const writer = { fieldManager: 'test' };
let server: ApiServer;
let kube: KubeClient;
let reading: Reading;

interface Deployed {
  readonly name: string;
  readonly properties: readonly object[];
  readonly isInstalled?: boolean;
}

async function put(object: object, status?: object): Promise<KubeObject> {
  const created = await kube.create(object as KubeObject, writer);
  if (status === undefined) return created;
  return await kube.update({ ...created, status } as KubeObject, { ...writer, subresource: 'status' });
}

/** As the provisioners leave them. */
async function deploy({ name, properties, isInstalled = true }: Deployed): Promise<void> {
  const { apiVersion } = bundleDeploymentResource;
  const provisionerClassName = 'core-rukpak-io-plain';
  const source = { type: 'image', image: { ref: `registry.example.com/${name}:v1` } };
  const spec = { provisionerClassName, template: { spec: { provisionerClassName, source } } };
  const waits = {
    type: 'Installed',
    status: 'False',
    reason: 'DependenciesNotMet',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const status = isInstalled ? { activeBundle: `${name}-1`, activeVersion: '1.0.0' } : { conditions: [waits] };
  const { metadata } = await put({ apiVersion, kind: 'BundleDeployment', metadata: { name }, spec }, status);
  const owner = { apiVersion, kind: 'BundleDeployment', name, uid: metadata.uid, controller: true };
  const annotations = { [bundlePropertiesAnnotation]: JSON.stringify(properties) };
  const bundle = { name: `${name}-1`, ownerReferences: [owner], annotations };
  await put({ apiVersion, kind: bundleResource.kind, metadata: bundle, spec: { provisionerClassName, source } });
}

const packaged = (packageName: string): object => ({
  type: 'olm.package',
  value: { packageName, version: '1.0.0' },
});
const onPackage = (packageName: string): object => ({
  type: 'olm.package.required',
  value: { packageName, versionRange: '>=1.0.0' },
});

function operator(name: string, owned: readonly object[], required: readonly object[]): object {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name, namespace: 'operators' },
    spec: {
      displayName: name,
      version: '2.0.0',
      install: { strategy: 'deployment' },
      installModes: [],
      customresourcedefinitions: { owned, required },
    },
  };
}

const sample = { name: 'samples.samples.example.com', version: 'v1', kind: 'Sample' };

beforeAll(async () => {
  server = await startApiServer({ simulation: false, crds: ['crds', 'crds/olm'] });
  const access = await loadClusterAccess({ text: server.kubeconfig });
  kube = createKubeClient({ access, clock: systemClock });
  reading = { kube, signal: AbortSignal.timeout(60_000), onUnreadable: (text) => expect.unreachable(text) };
  await put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'operators' } });
  await deploy({ name: 'harbour', properties: [packaged('harbour')] });
  await deploy({ name: 'gauge', properties: [packaged('gauge'), onPackage('harbour')] });
  await deploy({ name: 'buoy', properties: [packaged('buoy'), onPackage('sea')], isInstalled: false });
  await deploy({ name: 'samples', properties: [] });
  const crd = sampleCrd([{ name: 'v1', schema: { type: 'object' } }]);
  const labels = { 'core.rukpak.io/owner-kind': 'BundleDeployment', 'core.rukpak.io/owner-name': 'samples' };
  await put({ ...crd, metadata: { ...(crd['metadata'] as object), labels } });
  await put(operator('sampler.v2.0.0', [], [sample]));
});

afterAll(async () => {
  kube?.close();
  await server?.stop();
});

const named = (standings: readonly Standing[], name: string): Standing => {
  const found = standings.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not listed`);
  return found;
};

test('needs name who provides them: a package by its deployment, an API by the deployment that has its definition', async () => {
  const standings = await readStandings(reading);
  const harbour = { kind: 'BundleDeployment', namespace: '', name: 'harbour' };
  expect(named(standings, 'gauge').needs).toEqual([{ text: 'package harbour >=1.0.0', isMet: true, metBy: [harbour] }]);
  expect(named(standings, 'harbour').requiredBy).toEqual([{ kind: 'BundleDeployment', namespace: '', name: 'gauge' }]);
  expect(named(standings, 'sampler.v2.0.0').needs).toEqual([
    {
      text: 'API Sample.v1.samples.example.com',
      isMet: true,
      metBy: [{ kind: 'BundleDeployment', namespace: '', name: 'samples' }],
    },
  ]);
  expect(named(standings, 'samples').requiredBy).toHaveLength(1);
});

test('what waits is listed with what is missing', async () => {
  const buoy = named(await readStandings(reading), 'buoy');
  expect(buoy).toMatchObject({ isPending: true, needs: [{ text: 'package sea >=1.0.0', isMet: false, metBy: [] }] });
});

test('a definition in use stays with its objects, an unused one is deleted', async () => {
  const samples = named(await readStandings(reading), 'samples');
  const fate: DefinitionFate = {
    name: 'samples.samples.example.com',
    kind: 'Sample',
    objects: 0,
    isMore: false,
    fate: 'deleted',
  };
  expect(await readFates(reading, samples)).toEqual([fate]);
  await put({
    apiVersion: 'samples.example.com/v1',
    kind: 'Sample',
    metadata: { name: 'mine', namespace: 'operators' },
  });
  expect(await readFates(reading, samples)).toEqual([{ ...fate, objects: 1, fate: 'kept' }]);
});

test('the text names what breaks and what becomes of objects', async () => {
  const standings = await readStandings(reading);
  expect(dependenciesText(standings, undefined)).toContain(
    'BundleDeployment buoy (not installed yet)\n  needs package sea >=1.0.0: missing\n',
  );
  const harbour = named(standings, 'harbour');
  const breaks = [{ kind: 'BundleDeployment', namespace: '', name: 'gauge', needs: ['package harbour >=1.0.0'] }];
  expect(dependenciesText([harbour], { breaks, definitions: [] })).toBe(
    [
      'BundleDeployment harbour 1.0.0',
      '  required by BundleDeployment gauge',
      'When it is removed:',
      '  BundleDeployment gauge breaks: it needs package harbour >=1.0.0',
      '',
    ].join('\n'),
  );
});
