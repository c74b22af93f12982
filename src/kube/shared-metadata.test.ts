import { expect, test } from 'vitest';
import type { KubeObject } from './kube-object.ts';
import { createMetadataSharing } from './shared-metadata.ts';

function copy(namespace: string, annotations: Record<string, string>): KubeObject {
  const metadata = { namespace, name: 'boat', labels: { kept: 'yes' }, annotations, resourceVersion: namespace };
  return { apiVersion: 'v1', kind: 'Boat', metadata };
}

test('what objects of one name have in common is stored once, and what differs stays', () => {
  const share = createMetadataSharing();
  const first = share(copy('one', { examples: 'long' }));
  const second = share(copy('two', { examples: 'long' }));
  const third = share(copy('three', { examples: 'other' }));
  expect(second).toEqual(copy('two', { examples: 'long' }));
  expect(second.metadata.annotations).toBe(first.metadata.annotations);
  expect(third).toEqual(copy('three', { examples: 'other' }));
  expect(third.metadata.labels).toBe(first.metadata.labels);
});

test('an object without labels or annotations gets none of another', () => {
  const share = createMetadataSharing();
  share(copy('one', { examples: 'long' }));
  const bare: KubeObject = { apiVersion: 'v1', kind: 'Boat', metadata: { namespace: 'two', name: 'boat' } };
  expect(share(bare)).toEqual(bare);
});
