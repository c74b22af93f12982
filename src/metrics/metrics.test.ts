import { expect, test } from 'vitest';
import { clusterVersionTable } from './cluster-version-table.ts';
import { createMetrics } from './index.ts';
import { olmTable } from './olm-table.ts';
import { table } from './table.ts';

test('counters are shown by label, and values are read each time', async () => {
  const metrics = createMetrics();
  let bytes = 10;
  metrics.readFrom(() =>
    Promise.resolve({ longshore_content_store_bytes: bytes, longshore_content_store_evictions_total: 3 }),
  );
  const labels = { path: 'bundles', method: 'GET', code: '200' };
  metrics.add('longshore_content_requests_total', labels);
  metrics.add('longshore_content_requests_total', labels);
  metrics.add('longshore_content_response_bytes_total', { path: 'bundles' }, 512);
  await metrics.show();
  bytes = 20;
  const { contentType, text } = await metrics.show();
  expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = text.split('\n');
  expect(lines).toContain('longshore_content_requests_total{path="bundles",method="GET",code="200"} 2');
  expect(lines).toContain('longshore_content_response_bytes_total{path="bundles"} 512');
  expect(lines).toContain('longshore_content_store_bytes 20');
  expect(lines).toContain('longshore_content_store_evictions_total 3');
  expect(lines).toContain('# TYPE longshore_content_store_evictions_total counter');
});

test('several readers may report one metric, and values that are no longer reported disappear', async () => {
  const metrics = createMetrics();
  const depths: Record<string, number> = { bundle: 2, bundledeployment: 3 };
  for (const controller of Object.keys(depths)) {
    metrics.readFrom(() => {
      const value = depths[controller];
      return Promise.resolve(value === undefined ? {} : { longshore_queue_depth: [{ labels: { controller }, value }] });
    });
  }
  const shown = async (): Promise<string[]> =>
    (await metrics.show()).text.split('\n').filter((line) => line.startsWith('longshore_queue_depth{'));
  const both = [
    'longshore_queue_depth{controller="bundle"} 2',
    'longshore_queue_depth{controller="bundledeployment"} 3',
  ];
  expect(await shown()).toEqual(both);
  expect(await shown()).toEqual(both);
  delete depths['bundle'];
  expect(await shown()).toEqual(both.slice(1));
});

test('durations are shown in seconds', async () => {
  const metrics = createMetrics();
  metrics.time('longshore_reconcile_duration_seconds', { controller: 'bundle' }, 250);
  const { text } = await metrics.show();
  expect(text).toContain('longshore_reconcile_duration_seconds_sum{controller="bundle"} 0.25');
  expect(text).toContain('longshore_reconcile_duration_seconds_bucket{le="0.5",controller="bundle"} 1');
  expect(text).toContain('longshore_reconcile_duration_seconds_bucket{le="0.1",controller="bundle"} 0');
});

test('a summary has quantiles', async () => {
  const metrics = createMetrics();
  metrics.time('olm_resolution_duration_seconds', { outcome: 'succeeded' }, 250);
  const { text } = await metrics.show();
  expect(text).toContain('olm_resolution_duration_seconds{quantile="0.99",outcome="succeeded"} 0.25');
});

test('the default metrics of a process are shown on request', async () => {
  const metrics = createMetrics();
  expect((await metrics.show()).text).not.toContain('nodejs_eventloop_lag');
  metrics.watchProcess();
  expect((await metrics.show()).text).toContain('nodejs_eventloop_lag_p99_seconds');
});

test('two registries are independent', async () => {
  const first = createMetrics();
  first.add('longshore_content_response_bytes_total', { path: 'bundles' }, 5);
  expect((await createMetrics().show()).text).not.toContain('path="bundles"');
});

test('a failed read is an error, not an empty result', async () => {
  const metrics = createMetrics();
  metrics.readFrom(() => Promise.reject(new Error('the disk is missing')));
  await expect(metrics.show()).rejects.toThrow('the disk is missing');
});

const ownNames = Object.entries(table).filter(
  ([name]) => !Object.hasOwn({ ...clusterVersionTable, ...olmTable }, name) && !name.startsWith('mapi_'),
);

test.each(ownNames)('%s is named by the rules of Prometheus', (name, { kind, help }) => {
  expect(name).toMatch(/^(longshore|catalogd)_[a-z]+(_[a-z]+)*$/);
  expect(name.endsWith('_seconds')).toBe(kind === 'histogram' || name.endsWith('_oldest_seconds'));
  expect(name.endsWith('_total')).toBe(kind === 'counter');
  expect(help).toMatch(/\.$/);
});
