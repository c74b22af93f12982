import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/index.ts';
import { extensionOutcome } from './outcome.ts';

/** A ClusterExtension of generation 2 whose controller has seen `observedGeneration`. */
function extension(
  reason: string,
  { observedGeneration = 2, version = '1.0.0' }: { observedGeneration?: number; version?: string } = {},
): KubeObject {
  const progressing = { type: 'Progressing', status: 'True', reason, message: 'why', observedGeneration };
  return {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterExtension',
    metadata: { name: 'tide', generation: 2 },
    status: { conditions: [progressing], install: { bundle: { name: `tide.v${version}`, version } } },
  } as unknown as KubeObject;
}

test.each([
  { name: 'has the version', object: extension('Succeeded'), state: { state: 'installed', version: '1.0.0' } },
  { name: 'has another version', object: extension('Succeeded', { version: '2.0.0' }), state: { state: 'waiting' } },
  { name: 'is rolled out', object: extension('RollingOut'), state: { state: 'waiting', text: 'why' } },
  {
    name: 'was not looked at',
    object: extension('Succeeded', { observedGeneration: 1 }),
    state: { state: 'waiting', text: 'waiting for its controller' },
  },
  {
    name: 'is tried again',
    object: extension('Retrying'),
    state: { state: 'failed', isFinal: false, text: 'Progressing=True (Retrying): why' },
  },
  { name: 'has a wrong spec', object: extension('InvalidConfiguration'), state: { state: 'failed', isFinal: true } },
  {
    name: 'is being deleted',
    object: { ...extension('Succeeded'), metadata: { name: 'tide', deletionTimestamp: '2026-01-01T00:00:00Z' } },
    state: { state: 'failed', isFinal: true },
  },
])('a ClusterExtension that $name', ({ object, state }) => {
  expect(extensionOutcome(object, 2, '1.0.0')).toMatchObject(state);
});
