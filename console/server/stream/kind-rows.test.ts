import { expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import { type KubeClient, KubeUnavailable } from '../../../src/kube/index.ts';
import { eventually } from '../../../test/support/index.ts';
import { Shares } from '../shares.ts';
import { KindRows, textBytes } from './kind-rows.ts';

const shares = new Shares({ ofUser: 10_000, ofAll: 10_000 });
const target = { apiVersion: 'v1', kind: 'ConfigMap' };

/** Follows so many ConfigMaps; watches are refused. */
function follow(count: number, limits: { readonly maxRows?: number; readonly text?: string } = {}): KindRows<string> {
  const items = Array.from({ length: count }, (_, index) => ({ ...target, metadata: { name: `a-${index}` } }));
  const refusal = { status: 403, reason: 'Forbidden', message: 'not any more', causes: [], isStatus: true };
  const kube = {
    async *listPages() {
      yield await Promise.resolve({ resourceVersion: '1', items });
    },
    openWatch: () => Promise.reject(new KubeUnavailable(refusal)),
  } as unknown as KubeClient;
  const deps = { kube, clock: systemClock, log: silentLogger(), openShare: () => shares.open('ada') };
  const { maxRows = 100, text = 'x' } = limits;
  return new KindRows(deps, target, { project: () => text, sizeOf: textBytes, onChange: () => undefined, maxRows });
}

test('objects that the viewer may not list any more are not shown', async () => {
  using rows = follow(2);
  await eventually(() => expect(rows.state()).toEqual({ state: 'forbidden', message: 'not any more' }));
  expect([rows.values(), rows.get('a-0')]).toEqual([[], undefined]);
});

test.each([
  [{ maxRows: 3 }, 'there are more objects of kind ConfigMap than the 3 that are shown'],
  [{ text: 'x'.repeat(2_000) }, 'the objects of kind ConfigMap take more memory than the console has for you'],
])('with %j too much is reported, and nothing of it is kept', async (limits, message) => {
  using rows = follow(5, limits);
  await eventually(() => expect(rows.state().message).toContain(message));
  expect([rows.state().state, rows.values()]).toEqual(['failed', []]);
  using all = shares.open('ada');
  expect(all.add(10_000)).toBe(true);
});
