import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../test/support/index.ts';
import {
  createClusterVersion,
  openReleaseCluster,
  operatorManifest,
  type ReleaseCluster,
  reportOperator,
  runEngine,
} from '../../../test/support/release-cluster.ts';
import { smallRelease, untilAt, untilCondition } from '../../../test/support/small-release.ts';
import { type JsonObject, objectAt, objectsAt, systemClock, textAt } from '../../base/index.ts';
import { assess } from './assess.ts';
import { readHelmRelease } from './helm-releases.ts';
import { parseSources } from './sources.ts';

let cluster: ReleaseCluster;
let stack: AsyncDisposableStack;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  // Deployments become available, as with a real controller manager.
  cluster = stack.use(await openReleaseCluster({ simulation: true }));
});
afterEach(() => stack.disposeAsync());

const operator = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterOperator', name: 'dns' };
const user = { fieldManager: 'someone' };

function deployment(version: string): JsonObject {
  const labels = { app: 'dns' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'dns', namespace: 'quay', labels: { 'app.kubernetes.io/version': version } },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'dns', image: `example.com/dns:${version}` }] } },
    },
  };
}

function adapted(version: string, sources: string): JsonObject {
  const manifest = operatorManifest('dns', version);
  return { ...manifest, metadata: { name: 'dns', annotations: { 'core.rukpak.io/status-from': sources } } };
}

const shown = async (): Promise<unknown> => {
  const status = objectAt((await cluster.kube.get(operator)) as JsonObject, 'status');
  const conditions = objectsAt(status, 'conditions').map((one) => `${textAt(one, 'type')}=${textAt(one, 'status')}`);
  return [conditions.toSorted(), objectsAt(status, 'versions')];
};

test('a ClusterOperator of a component that reports none shows its Deployment, so that a release waits for it', async () => {
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', {
      '0000_10_dns_10_deployment.yaml': deployment('1.0.0'),
      '0000_10_dns_90_operator.yaml': adapted('1.0.0', 'Deployment/quay/dns'),
    }),
  };
  await createClusterVersion(cluster.kube);
  stack.use(await runEngine(cluster, { releases, first: '1.0.0' }));
  await untilAt(cluster, '1.0.0');
  const healthy = ['Available=True', 'Degraded=False', 'Progressing=False'];
  expect(await shown()).toEqual([healthy, [{ name: 'operator', version: '1.0.0' }]]);
});

test('an object that does not exist is named, and an operator that reports itself takes over', async () => {
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', {
      '0000_10_dns_90_operator.yaml': adapted('1.0.0', 'Deployment/quay/dns,BundleDeployment/dns'),
    }),
  };
  await createClusterVersion(cluster.kube);
  stack.use(await runEngine(cluster, { releases, first: '1.0.0' }));
  await untilCondition(cluster, 'Failing', /Cluster operator dns is not available/);
  await eventually(async () => {
    const [available] = objectsAt(objectAt((await cluster.kube.get(operator)) as JsonObject, 'status'), 'conditions');
    expect(textAt(available, 'message')).toBe(
      'Deployment quay/dns: it does not exist\nBundleDeployment dns: it does not exist',
    );
  });
  await eventually(() => reportOperator(cluster.kube, 'dns', { version: '1.0.0' }));
  await untilAt(cluster, '1.0.0');
});

test('releases of Helm are read from their newest Secret', async () => {
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'quay' } }, user);
  for (const [revision, status] of [
    ['1', 'superseded'],
    ['10', 'deployed'],
    ['9', 'superseded'],
  ] as const) {
    const release = gzipSync(JSON.stringify({ chart: { metadata: { version: `1.${revision}.0` } } })).toString(
      'base64',
    );
    const labels = { owner: 'helm', name: 'dns', status, version: revision };
    const metadata = { name: `sh.helm.release.v1.dns.v${revision}`, namespace: 'quay', labels };
    const data = { release: Buffer.from(release).toString('base64') };
    await cluster.kube.create({ apiVersion: 'v1', kind: 'Secret', type: 'helm.sh/release.v1', metadata, data }, user);
  }
  const signal = AbortSignal.timeout(30_000);
  const found = await readHelmRelease(cluster.kube, { namespace: 'quay', name: 'dns' }, signal);
  expect(assess('HelmRelease', found, systemClock.now())).toMatchObject({ isAvailable: true, version: '1.10.0' });
  expect(await readHelmRelease(cluster.kube, { namespace: 'quay', name: 'none' }, signal)).toBeUndefined();
});

test.each([
  ['deployed', true],
  ['uninstalled', false],
])(
  'after an upgrade of Helm that failed, a release whose revision before is %s has isAvailable %s',
  async (before, isAvailable) => {
    const namespace = `failed-${before}`;
    await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, user);
    for (const [version, status] of Object.entries({ 1: before, 2: 'failed' })) {
      const labels = { owner: 'helm', name: 'dns', status, version };
      const metadata = { name: `sh.helm.release.v1.dns.v${version}`, namespace, labels };
      await cluster.kube.create(
        { apiVersion: 'v1', kind: 'Secret', type: 'helm.sh/release.v1', metadata, data: stored('{}') },
        user,
      );
    }
    const found = await readHelmRelease(cluster.kube, { namespace, name: 'dns' }, AbortSignal.timeout(30_000));
    expect(assess('HelmRelease', found, systemClock.now())).toMatchObject({
      isAvailable,
      isDegraded: true,
      message: 'the release is failed',
      version: '',
    });
  },
);

/** What Helm stores of a release, twice in base64. */
function stored(text: string): { readonly release: string } {
  return { release: Buffer.from(gzipSync(text).toString('base64')).toString('base64') };
}

test('a Secret that only has the labels of a release is none, and one of very many values has no version', async () => {
  const namespace = 'forged';
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, user);
  const forged = JSON.stringify({ chart: { metadata: { version: '9.9.9' } } });
  const many = JSON.stringify({ chart: { metadata: { version: '1.0.0' } }, files: Array(60_000).fill(0) });
  const secrets = [
    { name: 'sh.helm.release.v1.dns.v1', version: '1', type: 'helm.sh/release.v1', text: many },
    { name: 'sh.helm.release.v1.dns.v9', version: '9', type: 'Opaque', text: forged },
    { name: 'other', version: '8', type: 'helm.sh/release.v1', text: forged },
  ];
  for (const { name, version, type, text } of secrets) {
    const labels = { owner: 'helm', name: 'dns', status: 'deployed', version };
    const metadata = { name, namespace, labels };
    await cluster.kube.create({ apiVersion: 'v1', kind: 'Secret', type, metadata, data: stored(text) }, user);
  }
  const signal = AbortSignal.timeout(30_000);
  const found = await readHelmRelease(cluster.kube, { namespace, name: 'dns' }, signal);
  expect([found?.metadata.name, found?.['chartVersion' as keyof typeof found]]).toEqual([
    'sh.helm.release.v1.dns.v1',
    '',
  ]);
});

test.each([
  {
    name: 'a BundleDeployment that is installed and healthy',
    kind: 'BundleDeployment' as const,
    status: {
      observedGeneration: 1,
      activeVersion: '1.2.0',
      conditions: [
        { type: 'Installed', status: 'True' },
        { type: 'Healthy', status: 'True' },
      ],
    },
    expected: { isAvailable: true, isProgressing: false, isDegraded: false, version: '1.2.0' },
  },
  {
    name: 'a BundleDeployment that cannot be installed',
    kind: 'BundleDeployment' as const,
    status: { observedGeneration: 1, conditions: [{ type: 'Installed', status: 'False', message: 'no permission' }] },
    expected: { isAvailable: false, isDegraded: true, message: 'no permission', version: '' },
  },
  {
    name: 'a ClusterServiceVersion that has succeeded',
    kind: 'ClusterServiceVersion' as const,
    status: { phase: 'Succeeded' },
    expected: { isAvailable: true, isProgressing: false, version: '3.0.0' },
  },
  {
    name: 'a ClusterServiceVersion that has failed',
    kind: 'ClusterServiceVersion' as const,
    status: { phase: 'Failed', message: 'no group' },
    expected: { isAvailable: false, isDegraded: true, message: 'no group' },
  },
  {
    name: 'a Subscription during an upgrade',
    kind: 'Subscription' as const,
    status: { installedCSV: 'dns.v1.0.0', currentCSV: 'dns.v1.1.0' },
    expected: { isAvailable: true, isProgressing: true, version: '' },
  },
  {
    name: 'a Subscription that is up to date',
    kind: 'Subscription' as const,
    status: { installedCSV: 'dns.v1.1.0', currentCSV: 'dns.v1.1.0' },
    expected: { isAvailable: true, isProgressing: false, isDegraded: false, version: '1.1.0' },
  },
])('$name is assessed', ({ kind, status, expected }) => {
  const object = { apiVersion: 'v1', kind, metadata: { name: 'x', generation: 1 }, spec: { version: '3.0.0' }, status };
  expect(assess(kind, object as never, 0)).toMatchObject(expected);
});

test.each(['', 'Deployment/x', 'Secret/a/b', 'BundleDeployment/a/b', 'Deployment//x'])(
  'the source "%s" is refused',
  (text) => {
    expect(() => parseSources(text)).toThrow('core.rukpak.io/status-from: ');
  },
);
