import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../test/support/index.ts';
import {
  openReleaseCluster,
  patchSpec,
  type ReleaseCluster,
  releaseImage,
  reportOperator,
  runEngine,
} from '../../../test/support/release-cluster.ts';
import { installed, operatorAt, settings, smallRelease } from '../../../test/support/small-release.ts';
import { createMetrics, type Metrics } from '../../metrics/index.ts';

let cluster: ReleaseCluster;
let stack: AsyncDisposableStack;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  cluster = stack.use(await openReleaseCluster());
});
afterEach(() => stack.disposeAsync());

const shown = async (metrics: Metrics): Promise<readonly string[]> => {
  const { text } = await metrics.show();
  return text.split('\n').filter((line) => line.startsWith('cluster_') && !line.startsWith('#'));
};
/** With times replaced. */
const timeless = (line: string): string => line.replace(/ \d{10}$/, ' TIME');

test('the metrics of an installed release and of an update that waits for an operator are those of OpenShift', async () => {
  const metrics = createMetrics();
  const of = (version: string) =>
    smallRelease(cluster, version, {
      '0000_10_a_10_x.yaml': settings('x', version),
      ...operatorAt('10', 'quay', version),
    });
  const releases = { '1.0.0': await of('1.0.0'), '1.0.1': await of('1.0.1') };
  stack.use(await installed(cluster, { releases, first: '1.0.0', operators: ['quay'], metrics }));
  const image = releaseImage('1.0.0');
  await eventually(async () =>
    expect((await shown(metrics)).map(timeless)).toEqual(
      expect.arrayContaining([
        `cluster_version{type="current",version="1.0.0",image="${image}",from_version=""} TIME`,
        `cluster_version{type="initial",version="1.0.0",image="${image}",from_version=""} TIME`,
        `cluster_version{type="cluster",version="1.0.0",image="${image}",from_version="1.0.0"} TIME`,
        `cluster_version{type="completed",version="1.0.0",image="${image}",from_version=""} TIME`,
        'cluster_version_payload{version="1.0.0",type="applied"} 3',
        'cluster_version_payload{version="1.0.0",type="pending"} 0',
        'cluster_operator_payload_errors{version="1.0.0"} 0',
        'cluster_operator_up{name="version",version="1.0.0",reason=""} 1',
        'cluster_operator_up{name="quay",version="1.0.0",reason=""} 1',
        'cluster_operator_conditions{name="quay",condition="Degraded",reason=""} 0',
        'cluster_operator_conditions{name="version",condition="ReleaseAccepted",reason="PayloadLoaded"} 1',
        'cluster_version_capability{name="Console"} 1',
      ]),
    ),
  );
  const next = releaseImage('1.0.1');
  await patchSpec(cluster.kube, { desiredUpdate: { image: next } });
  await eventually(async () =>
    expect((await shown(metrics)).map(timeless)).toEqual(
      expect.arrayContaining([
        `cluster_version{type="updating",version="1.0.1",image="${next}",from_version="1.0.0"} TIME`,
        'cluster_version_payload{version="1.0.1",type="applied"} 2',
        'cluster_version_payload{version="1.0.1",type="pending"} 1',
        'cluster_operator_payload_errors{version="1.0.1"} 1',
      ]),
    ),
  );
  await reportOperator(cluster.kube, 'quay', { version: '1.0.0', isDegraded: true });
  await eventually(async () => {
    expect(await shown(metrics)).toEqual(
      expect.arrayContaining([
        'cluster_operator_conditions{name="quay",condition="Degraded",reason=""} 1',
        'cluster_operator_condition_transitions{name="quay",condition="Degraded"} 1',
      ]),
    );
  });
});

test('without a ClusterVersion there are none', async () => {
  const metrics = createMetrics();
  stack.use(await runEngine(cluster, { releases: {}, metrics }));
  expect(await shown(metrics)).toEqual([]);
});
