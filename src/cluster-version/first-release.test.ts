import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../test/support/index.ts';
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
} from '../../test/support/release-cluster.ts';
import { writeRelease } from '../../test/support/release-files.ts';
import type { JsonObject } from '../base/index.ts';

let cluster: ReleaseCluster;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  cluster = stack.use(await openReleaseCluster());
});

afterEach(() => stack.disposeAsync());

const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'quay' } };
const settings = (value: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'quay' },
  data: { value },
});

async function release(version: string, manifests: Record<string, JsonObject> = {}): Promise<string> {
  return await writeRelease(`${cluster.folder}/${version}`, {
    version,
    manifests: {
      '0000_10_quay_00_namespace.yaml': namespace,
      '0000_10_quay_01_settings.yaml': settings(version),
      '0000_10_quay_09_operator.yaml': operatorManifest('quay', version),
      ...manifests,
    },
  });
}

test('a release is installed, and another one applied when it is requested', async () => {
  const { kube } = cluster;
  const releases = { '1.0.0': await release('1.0.0'), '1.1.0': await release('1.1.0') };
  await createClusterVersion(kube);
  stack.use(await runEngine(cluster, { releases, first: '1.0.0' }));
  await eventually(async () => expect((await clusterVersion(kube)).status?.history?.[0]?.state).toBe('Partial'));
  await eventually(() => reportOperator(kube, 'quay', { version: '1.0.0' }));
  await eventually(async () => {
    const version = await clusterVersion(kube);
    expect(conditionText(version, 'Progressing')).toBe('False Cluster version is 1.0.0');
    expect(conditionText(version, 'Available')).toBe('True Done applying 1.0.0');
    expect(version.status?.history).toMatchObject([{ state: 'Completed', version: '1.0.0' }]);
  });
  await patchSpec(kube, { desiredUpdate: { image: releaseImage('1.1.0') } });
  await eventually(async () => {
    const version = await clusterVersion(kube);
    expect(conditionText(version, 'Progressing')).toBe(
      'True ClusterOperatorUpdating Working towards 1.1.0: 2 of 3 done (66% complete), waiting on quay',
    );
    expect(conditionText(version, 'Failing')).toBe('False');
    expect(version.status?.history).toMatchObject([
      { state: 'Partial', version: '1.1.0' },
      { state: 'Completed', version: '1.0.0' },
    ]);
  });
  await reportOperator(kube, 'quay', { version: '1.1.0' });
  await eventually(async () => {
    const version = await clusterVersion(kube);
    expect(conditionText(version, 'Progressing')).toBe('False Cluster version is 1.1.0');
    expect(version.status?.history?.map(({ state }) => state)).toEqual(['Completed', 'Completed']);
  });
  expect(await kube.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay', name: 'settings' })).toMatchObject({
    data: { value: '1.1.0' },
  });
});
