import { expect, test } from 'vitest';
import type { BundleSource } from '../../src/api/index.ts';
import { readSourceFacts } from './facts.ts';

test('the metadata in a ConfigMap is read once, however often the source names it', async () => {
  let readCount = 0;
  const data = {
    get 'annotations.yaml'() {
      readCount += 1;
      return 'annotations: {}';
    },
  };
  const facts = { readConfigMap: () => Promise.resolve({ immutable: true, data }) } as unknown as Parameters<
    typeof readSourceFacts
  >[1]['facts'];
  const configMaps = Array.from({ length: 1000 }, () => ({ configMap: { name: 'c' }, path: 'metadata' }));
  const source: BundleSource = { type: 'configMaps', configMaps };
  const { metadata } = await readSourceFacts(source, { facts, signal: new AbortController().signal });
  expect(metadata.get('annotations.yaml')?.toString()).toBe('annotations: {}');
  expect(readCount).toBe(1);
});
