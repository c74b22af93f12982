import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { helmConformanceDocument, type RecordedChart, recordedPath } from './document.ts';

test('docs/helm-conformance.md is generated from what was recorded', async () => {
  const written = await readFile(new URL('../../docs/helm-conformance.md', import.meta.url), 'utf8');
  expect(written).toBe(await helmConformanceDocument());
});

test('no chart of those that were recorded differs without a reason', async () => {
  const recorded = JSON.parse(await readFile(recordedPath, 'utf8')) as readonly RecordedChart[];
  expect(recorded.length).toBeGreaterThanOrEqual(60);
  expect(recorded.filter(({ unexplained }) => unexplained.length > 0)).toEqual([]);
});
