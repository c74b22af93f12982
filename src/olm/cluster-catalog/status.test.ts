import { expect, test } from 'vitest';
import { type ClusterCatalog, parseClusterCatalog } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { statusOf } from './status.ts';

function catalog(conditions: readonly JsonObject[]): ClusterCatalog {
  return parseClusterCatalog({
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterCatalog',
    metadata: { name: 'shop', generation: 3 },
    spec: { source: { type: 'Image', image: { ref: 'registry.example/shop:v1' } } },
    status: { conditions: [...conditions] },
  });
}

function progressing(conditions: readonly JsonObject[]): unknown {
  const findings = { stored: undefined, state: { kind: 'running' as const }, isUnavailable: false };
  const { conditions: found } = statusOf(catalog(conditions), findings, { base: 'https://x', nowMs: 0 });
  return (found as readonly JsonObject[]).find(({ type }) => type === 'Progressing');
}

test('a catalog says from the start that it is being unpacked, and keeps its last outcome while that is done again', () => {
  expect(progressing([])).toMatchObject({ status: 'True', reason: 'Unpacking', observedGeneration: 3 });
  const before = { type: 'Progressing', status: 'True', reason: 'Succeeded', message: '', observedGeneration: 2 };
  const told = { ...before, lastTransitionTime: '2026-01-01T00:00:00Z' };
  expect(progressing([told])).toEqual(told);
});
