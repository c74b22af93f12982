import { expect, test } from 'vitest';
import type { CatalogSource } from '../../api/index.ts';
import type { CatalogRecord } from '../catalog-content/catalog-store.ts';
import type { Origin } from './origin.ts';
import { planOf, type Situation } from './plan.ts';

const image: Origin = { kind: 'image', image: 'registry.example/cat:v1' };
const address: Origin = { kind: 'address', address: 'a:1' };
const configMap: Origin = { kind: 'configMap', name: 'c' };
const nowMs = Date.parse('2026-01-01T12:00:00Z');

function planFor(situation: Partial<Situation>): string {
  const source: CatalogSource = {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: 'a', namespace: 'n', uid: 'u' },
    spec: { sourceType: 'grpc' },
  };
  const nothing = { stored: undefined, everyMs: undefined, epoch: undefined, configMap: undefined };
  const plan = planOf({ source, origin: image, progress: {}, ...nothing, nowMs, ...situation });
  return plan.kind === 'keep' ? `keep until ${plan.dueMs ?? 'ever'}` : plan.kind;
}

const storedOf = (askedRef: string): CatalogRecord => ({ askedRef }) as CatalogRecord;
const stored = storedOf('registry.example/cat:v1');
const polled = (at: string): Partial<Situation> => ({
  source: {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: 'a', namespace: 'n' },
    spec: { sourceType: 'grpc' },
    status: { latestImageRegistryPoll: at },
  },
});

test.each<[string, string, Partial<Situation>]>([
  ['an image that was never read', 'read', {}],
  ['an image that is stored', 'keep until ever', { stored }],
  ['another image than the stored one', 'read', { stored: storedOf('registry.example/cat:v0') }],
  ['an image that was never polled', 'read', { stored, everyMs: 60_000 }],
  [
    'an image that was polled by an earlier process',
    `keep until ${nowMs + 30_000}`,
    { stored, everyMs: 60_000, ...polled('2026-01-01T11:59:30Z') },
  ],
  ['an image whose poll is due', 'read', { stored, everyMs: 60_000, ...polled('2026-01-01T11:59:00Z') }],
  ['an image that was polled in the future', 'read', { stored, everyMs: 60_000, ...polled('2026-01-02T00:00:00Z') }],
  ['a registry without a connection', 'wait', { origin: address }],
  ['a registry that is connected for the first time', 'read', { origin: address, epoch: 1 }],
  [
    'a registry that was read on this connection',
    'keep until ever',
    { origin: address, epoch: 1, progress: { epoch: 1 }, stored: storedOf('grpc://a:1') },
  ],
  [
    'a registry that was read on an earlier connection',
    'read',
    { origin: address, epoch: 2, progress: { epoch: 1 }, stored: storedOf('grpc://a:1') },
  ],
  ['a ConfigMap that does not exist', 'wait', { origin: configMap, stored: storedOf('configmap c') }],
  [
    'a ConfigMap that was read',
    'keep until ever',
    {
      origin: configMap,
      stored: storedOf('configmap c'),
      configMap: { uid: 'c', resourceVersion: '1' },
      progress: { configMap: { uid: 'c', resourceVersion: '1' } },
    },
  ],
  [
    'a ConfigMap that has changed',
    'read',
    {
      origin: configMap,
      stored: storedOf('configmap c'),
      configMap: { uid: 'c', resourceVersion: '2' },
      progress: { configMap: { uid: 'c', resourceVersion: '1' } },
    },
  ],
])('%s: %s', (_what, expected, situation) => {
  expect(planFor(situation)).toBe(expected);
});
