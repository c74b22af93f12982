import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import type { KubeClient, KubeObject, ListTarget } from '../../../src/kube/index.ts';
import { eventually } from '../../../test/support/index.ts';
import { type Share, Shares } from '../shares.ts';
import { InstalledSource } from './installed-source.ts';
import type { Row } from './source.ts';

const metadata = (name: string) => ({
  name,
  namespace: 'shore',
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
});

function subscriptions(count: number): readonly KubeObject[] {
  return Array.from({ length: count }, (_, index) => {
    const spec = { name: 'tide-gauge', source: 'catalog', sourceNamespace: 'olm' };
    const kind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription' };
    return { ...kind, metadata: metadata(`subscription-${index}`), spec } as unknown as KubeObject;
  });
}

test('the row of an operator is not made again when another one has changed', async () => {
  const changes = new PassThrough();
  const [first, ...more] = subscriptions(3);
  const kube = {
    async *listPages({ kind }: ListTarget) {
      yield await Promise.resolve({ resourceVersion: '1', items: kind === 'Subscription' ? [first, ...more] : [] });
    },
    openWatch: ({ kind }: ListTarget) => Promise.resolve(kind === 'Subscription' ? changes : new PassThrough()),
  } as unknown as KubeClient;
  const shares = new Shares({ ofUser: Infinity, ofAll: Infinity });
  const openShare = (): Share => shares.open('ada');
  using source = new InstalledSource({ kube, clock: systemClock, log: silentLogger(), openShare });
  const isMissing = (row: Row): boolean => row.json.includes('longshore operator catalog add');
  await eventually(() => expect(source.rows().filter(isMissing)).toHaveLength(3));
  const before = source.rows();
  const object = { ...first, metadata: { ...metadata('subscription-0'), resourceVersion: '2' } };
  changes.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
  await eventually(() => expect(source.rows().map((row) => before.includes(row))).toEqual([false, true, true]));
});
