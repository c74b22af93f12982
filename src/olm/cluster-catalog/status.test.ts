import { expect, test } from 'vitest';
import { type JsonObject, systemClock } from '../../base/index.ts';
import { StatusWriter } from '../../controller/index.ts';
import { conditionsOf, type KubeObject } from '../../kube/index.ts';
import { setStatus } from './status.ts';

function catalog(conditions: readonly JsonObject[]): KubeObject {
  return {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterCatalog',
    metadata: { name: 'shop', generation: 3 },
    spec: { source: { type: 'Image', image: { ref: 'registry.example/shop:v1' } } },
    status: { conditions: [...conditions] },
  };
}

function progressing(conditions: readonly JsonObject[]): unknown {
  const findings = { stored: undefined, state: { kind: 'running' as const, quietMs: 0 }, isUnavailable: false };
  const object = catalog(conditions);
  // Nothing is written: what is set is looked at.
  const refuse = () => Promise.reject(new Error('not to be written'));
  const kube = { patch: refuse, apply: refuse };
  const run = { object, status: new StatusWriter(object, { kube, clock: systemClock, fieldManager: 'test' }) };
  setStatus(run, findings, 'https://x');
  return conditionsOf(run.object).find(({ type }) => type === 'Progressing');
}

test('a catalog reports from the start that it is being unpacked, and retains its last outcome while it is unpacked again', () => {
  expect(progressing([])).toMatchObject({ status: 'True', reason: 'Unpacking', observedGeneration: 3 });
  const before = { type: 'Progressing', status: 'True', reason: 'Succeeded', message: '', observedGeneration: 2 };
  const reported = { ...before, lastTransitionTime: '2026-01-01T00:00:00Z' };
  expect(progressing([reported])).toEqual(reported);
});
