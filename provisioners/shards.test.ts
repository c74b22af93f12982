import { expect, test } from 'vitest';
import type { KubeObject } from '../src/kube/index.ts';
import { Shards, shardOf } from './shards.ts';

const count = 3;
const nowMs = Date.parse('2026-01-01T00:10:00Z');
const clock = { now: () => nowMs, sleep: () => Promise.resolve() };

function object(
  name: string,
  labels: Readonly<Record<string, string>> = {},
  created = '2026-01-01T00:00:00Z',
): KubeObject {
  return { apiVersion: 'v1', kind: 'Any', metadata: { name, labels, creationTimestamp: created } };
}

function generated(owner: string, created?: string): KubeObject {
  const labels = { 'core.rukpak.io/owner-kind': 'BundleDeployment', 'core.rukpak.io/owner-name': owner };
  return object(`${owner}-abc`, labels, created);
}

function shards(...deployments: readonly KubeObject[]): readonly Shards[] {
  const known = new Map(deployments.map((one) => [one.metadata.name, one]));
  const cache = { get: (name: string) => known.get(name) };
  return [1, 2, 3].map((index) => new Shards({ index, count }, { deployments: cache, clock }));
}

test('everything is for exactly one shard, and the shards have much the same', () => {
  const names = Array.from({ length: 3_000 }, (_, index) => `app-${index}`);
  const sizes = [1, 2, 3].map((index) => names.filter((name) => shardOf(object(name), count) === index).length);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(names.length);
  for (const size of sizes) expect(size).toBeGreaterThan(900);
});

test.each([
  { name: 'by the label', label: '2', expected: 2 },
  { name: 'its name, where the label names no shard', label: '4', expected: shardOf(object('app'), count) },
  { name: 'its name, where the label is no number', label: '2nd', expected: shardOf(object('app'), count) },
])('an object goes by $name', ({ label, expected }) => {
  expect(shardOf(object('app', { 'core.rukpak.io/shard': label }), count)).toBe(expected);
});

test('a generated Bundle is where its deployment is, regardless of its own name and labels', () => {
  const all = shards(object('app', { 'core.rukpak.io/shard': '2' }));
  expect(all.map((one) => one.hasBundle(generated('app')))).toEqual([false, true, false]);
});

test('a young Bundle whose deployment is not known yet waits; an old one belongs to a shard', () => {
  const all = shards();
  expect(all.map((one) => one.hasBundle(generated('app', '2026-01-01T00:09:30Z')))).toEqual(Array(3).fill(undefined));
  expect(all.filter((one) => one.hasBundle(generated('app')) === true)).toHaveLength(1);
});

test('without shards everything is for the one', () => {
  const whole = new Shards(undefined, { deployments: { get: () => undefined }, clock });
  expect([whole.hasDeployment(object('app')), whole.hasBundle(generated('app'))]).toEqual([true, true]);
});
