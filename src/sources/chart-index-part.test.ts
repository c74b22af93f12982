import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findInIndex, readChartFragment } from './chart-index.ts';
import { readIndexPart } from './chart-index-part.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-index-'));
});
afterAll(() => rm(folder, { recursive: true }));

const address = 'https://charts.example.com/index.yaml';

async function urlOf(text: string, chart: string): Promise<string> {
  const path = join(folder, 'index.yaml');
  await writeFile(path, text);
  const choice = readChartFragment(`#chart=${chart}`);
  if (choice === undefined) throw new Error('no choice');
  const content = await readIndexPart({ what: address, path, chart });
  return (await findInIndex({ address, content }, choice)).url;
}

/** Charts as helm writes them, of which each looks a little like the others. */
function indexOf(charts: readonly string[], indent: string): string {
  const entries = charts.map((name) => {
    const lines = ['- description: |-', '      app:', '# app:', `  urls: [${name}-1.0.0.tgz]`, '  version: 1.0.0'];
    return [`${indent}${name}:`, ...lines.map((line) => `${indent}${line}`)].join('\n');
  });
  return `apiVersion: v1\nentries:\n${entries.join('\n')}\ngenerated: "2026-01-01T00:00:00Z"\n`;
}

const others = Array.from({ length: 60_000 }, (_, at) => `other-${at}`);

test.each(['  ', '    '])('a chart of a large index is found, with an indentation of "%s"', async (indent) => {
  const text = indexOf([...others, 'app', 'last'], indent);
  expect(text.length).toBeGreaterThan(4 * 1024 * 1024);
  await expect(urlOf(text, 'app')).resolves.toBe('https://charts.example.com/app-1.0.0.tgz');
  await expect(urlOf(text, 'last')).resolves.toBe('https://charts.example.com/last-1.0.0.tgz');
  await expect(urlOf(text, 'absent')).rejects.toThrow('chart "absent"');
});

test.each([
  ['in one line', `{"entries":{"app":[${'{},'.repeat(2_000_000)}{}]}}`],
  ['with too many versions of a chart', `entries:\n  app:\n${'  - {}\n'.repeat(100_000)}`],
])('a large index %s is refused', async (_name, text) => {
  await expect(urlOf(text, 'app')).rejects.toThrow('larger than 256 KiB');
});

test('an index of very many empty lines is refused before it is read to its end', async () => {
  const text = `entries:\n${'\n'.repeat(5_000_000)}`;
  await expect(urlOf(text, 'app')).rejects.toThrow(`${address}: the index has more than the limit of 4000000 lines`);
});
