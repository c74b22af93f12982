import { afterAll, expect, test } from 'vitest';
import { silentLogger } from '../src/base/index.ts';
import type { KubeClient, ObjectRef } from '../src/kube/index.ts';
import { eventually, SteppedClock } from '../test/support/index.ts';
import { ValuesWatches } from './values-watches.ts';

const minuteMs = 60_000;
const stopper = new AbortController();
afterAll(() => stopper.abort());

/** A client whose watches show nothing, and the watches that are open. */
function watchedKube(): { readonly kube: KubeClient; readonly open: Set<object> } {
  const open = new Set<object>();
  const kube = {
    listPages: async function* pages() {
      yield await Promise.resolve({ items: [], resourceVersion: '1' });
    },
    openWatch: async (target: object, { signal }: { readonly signal: AbortSignal }) => {
      open.add(target);
      return await new Promise((_resolve, reject) => {
        const end = (): void => {
          open.delete(target);
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', end, { once: true });
      });
    },
  };
  return { kube: kube as unknown as KubeClient, open };
}

function refsOf(deployment: string): readonly ObjectRef[] {
  return Array.from({ length: 32 }, (_, index) => {
    return { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'a', name: `${deployment}-${index}` };
  });
}

test('of the objects that a tenant refers to a limited number is watched, others are read again from time to time', async () => {
  const { kube, open } = watchedKube();
  const clock = new SteppedClock(0);
  const read: string[] = [];
  const log = silentLogger();
  const onDeployment = (name: string): number => read.push(name);
  const watches = new ValuesWatches({ clock, log, signal: stopper.signal, onDeployment });
  const follow = (deployment: string, actor: string): void =>
    watches.follow({ deployment, refs: refsOf(deployment), kube, actor });
  for (const deployment of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) follow(deployment, `a/${deployment}`);
  follow('b1', 'b/default');
  await eventually(() => expect(open.size).toBe(5 * 32));
  await eventually(() => expect(new Set(read)).toEqual(new Set(['a1', 'a2', 'a3', 'a4', 'b1'])));
  read.length = 0;
  await clock.pass(5 * minuteMs);
  expect(read).toEqual(['a5', 'a6']);
  watches.forget('a1');
  for (const deployment of ['a5', 'a6']) follow(deployment, `a/${deployment}`);
  await eventually(() => expect(open.size).toBe(5 * 32));
  read.length = 0;
  watches.forget('a6');
  await clock.pass(5 * minuteMs);
  expect(read).toEqual([]);
  for (const deployment of ['a2', 'a3', 'a4', 'a5', 'b1']) watches.forget(deployment);
  await eventually(() => expect(open.size).toBe(0));
});

test('all tenants together have a limited number of watches', async () => {
  const { kube, open } = watchedKube();
  const options = { clock: new SteppedClock(0), log: silentLogger(), signal: stopper.signal, onDeployment: () => 0 };
  const watches = new ValuesWatches(options);
  for (let index = 0; index < 40; index += 1) {
    const deployment = `d${index}`;
    watches.follow({ deployment, refs: refsOf(deployment), kube, actor: `n${index}/default` });
  }
  await eventually(() => expect(open.size).toBe(512));
});
