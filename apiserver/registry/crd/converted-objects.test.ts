import { expect, test } from 'vitest';
import type { KubeObject } from '../../core/index.ts';
import { ConvertedObjects } from './converted-objects.ts';

const { signal } = new AbortController();
const stored = (uid: number): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: `thing-${uid}`, uid: String(uid), resourceVersion: '1' },
});

function inflated(bytes: number, bounds: { maxObjects: number; maxBytes: number }) {
  const asked: string[] = [];
  const convert = async (object: KubeObject): Promise<KubeObject> => {
    asked.push(object.metadata.uid ?? '');
    return { ...object, apiVersion: 'example.com/v2', filling: 'x'.repeat(bytes) };
  };
  return { asked, objects: new ConvertedObjects('example.com/v2', convert, bounds) };
}

test('a list of small objects of which a webhook makes large ones is refused', async () => {
  const { asked, objects } = inflated(1000, { maxObjects: 1000, maxBytes: 20_000 });
  const all = Array.from({ length: 500 }, (_, uid) => stored(uid));
  await expect(objects.prepare(all, signal)).rejects.toThrow('request fewer at a time');
  expect(asked.length).toBeLessThan(40);
});

test('objects of earlier requests make room, those that are needed now do not', async () => {
  const { asked, objects } = inflated(1000, { maxObjects: 10, maxBytes: 20_000 });
  for (let uid = 0; uid < 10; uid += 1) await objects.prepare([stored(uid)], signal);
  const page = [stored(0), stored(10), stored(11)];
  await objects.prepare(page, signal);
  for (const object of page) expect(objects.find(object).apiVersion).toBe('example.com/v2');
  expect(asked).toHaveLength(12);
  expect(() => objects.find(stored(1))).toThrow('is not available in version example.com/v2');
});

test('what is kept is bounded in bytes as well', async () => {
  const { objects } = inflated(5000, { maxObjects: 1000, maxBytes: 20_000 });
  for (let uid = 0; uid < 10; uid += 1) await objects.prepare([stored(uid)], signal);
  expect(objects.find(stored(9)).apiVersion).toBe('example.com/v2');
  expect(() => objects.find(stored(0))).toThrow('is not available');
});
