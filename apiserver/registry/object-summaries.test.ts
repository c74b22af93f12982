import { expect, test } from 'vitest';
import type { KubeObject } from '../core/index.ts';
import type { StoredEntry } from '../storage/index.ts';
import { ObjectSummaries } from './object-summaries.ts';

function entryOf(object: object): { readonly entry: StoredEntry; readonly parsed: () => number } {
  let count = 0;
  const entry = {
    storageKey: 'pods',
    key: 'default/a',
    revision: 1,
    text: '',
    get object(): KubeObject {
      count += 1;
      return { apiVersion: 'v1', kind: 'Pod', ...object } as KubeObject;
    },
  };
  return { entry, parsed: () => count };
}

test('an object is parsed once, however often it is asked who controls it', () => {
  const summaries = new ObjectSummaries();
  const ownerReferences = [{ uid: 'other' }, { uid: 'set', controller: true }];
  const { entry, parsed } = entryOf({
    metadata: { labels: { app: 'a' }, ownerReferences },
    spec: { selector: { b: 'c' } },
  });
  for (let times = 0; times < 3; times += 1) {
    expect(summaries.of(entry)).toEqual({
      labels: { app: 'a' },
      controllerUid: 'set',
      isDeleting: false,
      selector: { b: 'c' },
    });
  }
  expect(parsed()).toBe(1);
});

test('large labels are parsed once, as long as there is memory for them', () => {
  const summaries = new ObjectSummaries();
  const labels = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`label-${index}`, '']));
  const { entry, parsed } = entryOf({ metadata: { labels, ownerReferences: [{ uid: 'set', controller: true }] } });
  for (let times = 0; times < 3; times += 1) expect(summaries.of(entry).controllerUid).toBe('set');
  expect(parsed()).toBe(1);
  expect(summaries.of(entry).labels).toEqual(labels);
  expect(summaries.of(entry).labels).toEqual(labels);
  expect(parsed()).toBe(2);
});
