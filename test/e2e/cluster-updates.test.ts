import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { createPromqlEvaluator } from '../../src/cluster-version/index.ts';
import { buildUpdateGraphs, readGraphData, type ServedRelease, updateService } from '../../src/update-graph/index.ts';
import { eventually, startWebServer } from '../support/index.ts';
import {
  clusterVersion,
  conditionText,
  createClusterVersion,
  openReleaseCluster,
  operatorManifest,
  patchSpec,
  type ReleaseCluster,
  releaseImage,
  reportOperator,
  runEngine,
} from '../support/release-cluster.ts';
import { writeRelease } from '../support/release-files.ts';
import { longshoreOn, type Printed } from './program.ts';

let cluster: ReleaseCluster;
let stack: AsyncDisposableStack;
let upgrade: (args?: string) => Promise<Printed>;
let upstream: string;
/** What the Prometheus answers. */
let exposed: string;

const versions = ['4.14.1', '4.14.2', '4.14.3', '4.15.0'];
const graphData = [
  { path: 'channels/stable.yaml', text: JSON.stringify({ name: 'stable', versions }) },
  { path: 'channels/empty.yaml', text: JSON.stringify({ name: 'empty', versions: ['4.14.1'] }) },
  {
    path: 'blocked-edges/4.14.3-slow.yaml',
    text: JSON.stringify({
      to: '4.14.3',
      from: '4[.]14[.].*',
      name: 'SlowDisks',
      url: 'https://example.com/SlowDisks',
      message: 'Disks may be slow.',
      matchingRules: [{ type: 'PromQL', promql: { promql: 'max(slow_disks)' } }],
    }),
  },
];

function served(version: string, index: number, architecture: string): ServedRelease {
  const previous = versions.slice(0, index);
  const url = `https://example.com/errata/${version}`;
  return { version, payload: releaseImage(version), architecture, previous, next: [], url };
}

async function release(version: string): Promise<string> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dns' } };
  const settings = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace: 'dns' },
    data: { version },
  };
  return await writeRelease(join(cluster.folder, version), {
    version,
    manifests: {
      '0000_10_dns_00_namespace.yaml': namespace,
      '0000_10_dns_01_settings.yaml': settings,
      '0000_10_dns_09_operator.yaml': operatorManifest('dns', version),
    },
  });
}

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  cluster = stack.use(await openReleaseCluster());
  exposed = '1';
  const data = readGraphData(graphData);
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const releases = versions.map((version, index) => served(version, index, architecture));
  const { handle } = updateService(buildUpdateGraphs(data, releases));
  upstream = `${stack.use(await startWebServer(handle)).url}/api/upgrades_info/graph`;
  const prometheus = stack.use(
    await startWebServer((_, response) => {
      const result = [{ metric: {}, value: [0, exposed] }];
      response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
    }),
  );
  const folders = Object.fromEntries(
    await Promise.all(versions.map(async (version) => [version, await release(version)] as const)),
  );
  await createClusterVersion(cluster.kube);
  const promql = stack.use(createPromqlEvaluator({ url: prometheus.url }));
  stack.use(await runEngine(cluster, { releases: folders, first: '4.14.1', updates: { userAgent: 'test/1', promql } }));
  const kubeconfig = join(cluster.folder, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig);
  const run = longshoreOn(kubeconfig);
  upgrade = (args = '') => run(['upgrade', ...args.split(' ').filter((word) => word !== '')]);
  await eventually(() => reportOperator(cluster.kube, 'dns', { version: '4.14.1' }));
  await whenShown('Progressing', 'False Cluster version is 4.14.1');
});
afterEach(() => stack.disposeAsync());

async function whenShown(type: string, text: string | undefined): Promise<void> {
  await eventually(async () => expect(conditionText(await clusterVersion(cluster.kube), type)).toBe(text));
}

async function whenChannelIsRead(): Promise<void> {
  await patchSpec(cluster.kube, { upstream });
  expect(await upgrade('channel stable')).toMatchObject({ code: 0 });
  await whenShown('RetrievedUpdates', 'True');
  await eventually(async () => {
    const { status } = await clusterVersion(cluster.kube);
    expect(status?.conditionalUpdates?.[0]?.conditions?.[0]).toMatchObject({ status: 'False', reason: 'SlowDisks' });
  });
}

test('a channel is set, a risk explained, and an update made', async () => {
  await whenShown('RetrievedUpdates', 'False NoChannel The update channel has not been configured.');
  await whenChannelIsRead();
  const { stdout } = await upgrade();
  expect(stdout).toContain(`Upstream: ${upstream}\nChannel: stable (available channels: empty, stable)\n`);
  expect(stdout).toContain(`\n  4.15.0      ${releaseImage('4.15.0')}\n  4.14.2      ${releaseImage('4.14.2')}\n`);
  expect((await upgrade('recommend --version 4.14.3')).stdout).toContain(
    'Reason: SlowDisks\nMessage: Disks may be slow. https://example.com/SlowDisks\n',
  );
  expect(await upgrade('--to 4.14.3')).toMatchObject({ code: 2 });

  // CV-19: without an image in the request the engine finds it.
  const updated = upgrade('--to 4.14.3 --allow-not-recommended --wait');
  await whenShown(
    'Progressing',
    'True ClusterOperatorUpdating Working towards 4.14.3: 2 of 3 done (66% complete), waiting on dns',
  );
  await reportOperator(cluster.kube, 'dns', { version: '4.14.3' });
  expect(await updated).toMatchObject({
    code: 0,
    stdout: 'Requested update to 4.14.3\nCluster version is 4.14.3\n',
  });
  const { status } = await clusterVersion(cluster.kube);
  expect(status?.history?.[0]?.acceptedRisks).toContain(
    'Precondition "ClusterVersionRecommendedUpdate" failed because of "SlowDisks": Update from 4.14.1 to 4.14.3 is not recommended:\n\nDisks may be slow.',
  );
  await eventually(async () => expect((await upgrade()).stdout).toContain(`  4.15.0      ${releaseImage('4.15.0')}\n`));
  expect((await upgrade('status')).stdout).toBe('The cluster is not updating.\n');
});

test('status shows what an update waits for', async () => {
  await whenChannelIsRead();
  await upgrade('--to 4.14.2');
  await eventually(async () => {
    const { stdout } = await upgrade('status');
    expect(stdout).toContain('Target Version:  4.14.2 (from 4.14.1)\n');
    expect(stdout).toContain('Completion:      0% (0 operators updated, ');
    expect(stdout).toMatch(/\nProgress: .*2 of 3 manifests/);
    expect(stdout).toMatch(/\nclusteroperator\/dns +\S+ +ClusterOperatorUpdating +/);
  });
});

test('CV-10: after a change of the channel nothing of the old one is left', async () => {
  await whenChannelIsRead();
  await upgrade('channel empty');
  await eventually(async () => {
    const { status } = await clusterVersion(cluster.kube);
    expect(status).toMatchObject({ availableUpdates: null, conditionalUpdates: [] });
  });
});

test('CV-93: an accepted risk makes an update available, and the history has its name', async () => {
  await whenChannelIsRead();
  await upgrade('accept SlowDisks');
  await eventually(async () => expect((await upgrade()).stdout).toContain('\n  4.14.3      '));
  await upgrade('--to 4.14.3');
  await eventually(async () => {
    const { status } = await clusterVersion(cluster.kube);
    expect(status?.history?.[0]).toMatchObject({
      version: '4.14.3',
      acceptedRisks: `The target release ${releaseImage('4.14.3')} is exposed to the risks [SlowDisks] which were all explicitly accepted by the cluster administrator.`,
    });
  });
});

describe('preconditions', () => {
  test('CV-24: an operator that is not upgradeable blocks a minor update, not a patch', async () => {
    await whenChannelIsRead();
    await reportOperator(cluster.kube, 'dns', { version: '4.14.1', isUpgradeable: false });
    await eventually(async () =>
      expect(conditionText(await clusterVersion(cluster.kube), 'Upgradeable')).toMatch(
        /^False RiskNameNotCompatibleWithReasonProperty/,
      ),
    );
    const rejected = await upgrade('--to 4.15.0 --wait');
    expect(rejected).toMatchObject({ code: 3 });
    expect(rejected.stderr).toContain(
      `ReleaseAccepted=False: PreconditionChecks: Preconditions failed for payload loaded version="4.15.0" image="${releaseImage('4.15.0')}": Precondition "ClusterVersionUpgradeable" failed because of "RiskNameNotCompatibleWithReasonProperty": `,
    );
    expect((await clusterVersion(cluster.kube)).status?.desired.version).toBe('4.14.1');
    await upgrade('--clear');
    await upgrade('--to 4.14.2');
    await eventually(async () => expect((await clusterVersion(cluster.kube)).status?.desired.version).toBe('4.14.2'));
  });

  test('CV-101: a gate blocks until it is acknowledged', async () => {
    const { kube } = cluster;
    const configMap = async (namespace: string, name: string, data: JsonObject): Promise<void> => {
      await kube.create(
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
        { fieldManager: 'test' },
      );
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data };
      await kube.create(object, { fieldManager: 'test' });
    };
    await configMap('openshift-config-managed', 'admin-gates', { 'ack-4.14-apis': 'APIs are removed.' });
    await whenShown('Upgradeable', 'False RiskNameNotCompatibleWithReasonProperty APIs are removed.');
    await configMap('openshift-config', 'admin-acks', { 'ack-4.14-apis': 'true' });
    await whenShown('Upgradeable', undefined);
  });
});
