import { expect, test } from 'vitest';
import type { KubeObject } from '../core/kube-object.ts';
import { ParsedObjects } from './parsed-objects.ts';
import type { StoredEntry } from './storage.ts';

const text = (name: string): string => JSON.stringify({ kind: 'Thing', apiVersion: 'v1', metadata: { name } });

function entryOf(parsed: ParsedObjects, name: string): StoredEntry {
  return parsed.ofText({ storageKey: 'things', key: `/${name}`, revision: 1 }, text(name));
}

test('parses an entry when it is asked for, and keeps what it parsed', () => {
  const entry = entryOf(new ParsedObjects(), 'a');
  expect(entry.object).toEqual(JSON.parse(text('a')));
  expect(entry.object).toBe(entry.object);
});

test('lets go of objects beyond its budget, not of those in use', () => {
  const parsed = new ParsedObjects(text('x').length * 3);
  const hot = entryOf(parsed, 'h');
  const cold = entryOf(parsed, 'c');
  const [hotObject, coldObject] = [hot.object, cold.object];
  for (let turn = 0; turn < 20; turn += 1) {
    expect(hot.object).toBe(hotObject);
    expect(entryOf(parsed, String(turn % 10)).object.metadata.name).toBe(String(turn % 10));
  }
  expect(cold.object).not.toBe(coldObject);
  expect(cold.object).toEqual(coldObject);
});

test('keeps the object that an entry was made of', () => {
  const object = JSON.parse(text('a')) as KubeObject;
  const parsed = new ParsedObjects();
  const entry = parsed.ofObject({ storageKey: 'things', key: '/a', revision: 1 }, object, text('a'));
  expect(entry.object).toBe(object);
});

test('holds one object that is larger than the budget for a moment only', () => {
  const parsed = new ParsedObjects(1);
  const first = entryOf(parsed, 'a');
  expect(first.object.metadata.name).toBe('a');
  expect(entryOf(parsed, 'b').object.metadata.name).toBe('b');
  expect(first.object.metadata.name).toBe('a');
});
