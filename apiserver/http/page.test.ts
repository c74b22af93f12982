import { expect, test, vi } from 'vitest';
import type { KubeObject } from '../core/index.ts';
import type { StoredEntry } from '../storage/index.ts';
import { select } from './page.ts';

const entries = Array.from({ length: 5 }, (_, index): StoredEntry => {
  const metadata = { name: `a-${index}`, namespace: 'ns' };
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  return { storageKey: 'configmaps', key: `ns/a-${index}`, revision: index, object, text: JSON.stringify(object) };
});

test('a search through a collection takes the turns of its request, which users share', async () => {
  const nextTurn = vi.fn(() => Promise.resolve());
  const selection = { isEverything: false, name: undefined, matches: () => false };
  const look = { served: ({ object }: StoredEntry): KubeObject => object, exchange: { nextTurn } };
  const selected = await select({ all: entries, start: 0, limit: 0 }, selection, look);
  expect(selected).toEqual({ entries: [], next: 5 });
  expect(nextTurn).toHaveBeenCalledTimes(5);
});
