import { expect, test } from 'vitest';
import { systemClock } from '../src/base/index.ts';
import type { KubeObject } from '../src/kube/index.ts';
import type { LabelledValue, MetricValues } from '../src/metrics/index.ts';
import { objectMetrics } from './object-metrics.ts';
import { type Shard, Shards } from './shards.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const source = { type: 'image', image: { ref: 'registry.example.com/a:v1' } };
const bundleSpec = { provisionerClassName: 'core-rukpak-io-plain', source };
const names = Array.from({ length: 20 }, (_, index) => `app-${index}`);

const bundles = names.map((name, index): KubeObject => {
  const metadata = { name, creationTimestamp: '2026-01-01T00:00:00Z' };
  const status = { phase: index % 4 === 0 ? 'Failing' : 'Unpacked' };
  return { apiVersion, kind: 'Bundle', metadata, spec: bundleSpec, status } as unknown as KubeObject;
});

const deployments = names.map((name, index): KubeObject => {
  const spec = { provisionerClassName: 'core-rukpak-io-plain', template: { spec: bundleSpec } };
  const installed = { type: 'Installed', status: index % 5 === 0 ? 'False' : 'True', reason: 'A', message: '' };
  const conditions = [{ ...installed, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  return {
    apiVersion,
    kind: 'BundleDeployment',
    metadata: { name },
    spec,
    status: { conditions },
  } as unknown as KubeObject;
});

function figuresOf(shard: Shard | undefined): MetricValues {
  const cached = {
    values: () => deployments,
    get: (name: string) => deployments.find((one) => one.metadata.name === name),
  };
  const shards = new Shards(shard, { deployments: cached, clock: systemClock });
  return objectMetrics({ bundles: { values: () => bundles }, deployments: cached, shards });
}

/** What `sum(max by (shard) (name{…}))` of Prometheus gives. */
function total(
  processes: readonly MetricValues[],
  name: keyof MetricValues,
  selector: Readonly<Record<string, string>>,
): number {
  const largest = new Map<string, number>();
  for (const { labels, value } of processes.flatMap((figures) => figures[name] as readonly LabelledValue[])) {
    if (Object.entries(selector).some(([label, expected]) => labels[label] !== expected)) continue;
    const { shard = '' } = labels;
    largest.set(shard, Math.max(largest.get(shard) ?? 0, value));
  }
  return [...largest.values()].reduce((sum, value) => sum + value, 0);
}

test.each([
  { name: 'one leader for everything', shards: [undefined] },
  { name: 'three shards', shards: [1, 2, 3].map((index) => ({ index, count: 3 })) },
])('what $name report of objects adds up, however many of each stand by', ({ shards }) => {
  const processes = [...shards, ...shards].map(figuresOf);
  expect(total(processes, 'longshore_bundle_deployments', {})).toBe(20);
  expect(total(processes, 'longshore_bundles', { phase: 'Failing' })).toBe(5);
  expect(total(processes, 'longshore_bundles', { phase: 'Unpacked' })).toBe(15);
  const wrong = { condition: 'Installed', status: 'False' };
  expect(total(processes, 'longshore_bundle_deployment_conditions', wrong)).toBe(4);
  expect(new Set(processes.map((figures) => JSON.stringify(figures))).size).toBe(shards.length);
});
