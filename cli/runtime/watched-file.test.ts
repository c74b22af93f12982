import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { parseRegistryConfig, type RegistryMirror } from '../../src/sources/index.ts';
import { eventually } from '../../test/support/index.ts';
import { openWatchedFile, type WatchedFile } from './watched-file.ts';

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'registry-config-'));
  path = join(dir, 'registries.yaml');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function open(file: string | undefined): Promise<WatchedFile<readonly RegistryMirror[]>> {
  const option = '--registry-config';
  return openWatchedFile({ option, path: file, parse: parseRegistryConfig, absent: [], log: silentLogger() });
}

const mirrorTo = (mirror: string): string => `imageDigestMirrors: [{source: quay.io, mirrors: [${mirror}]}]\n`;

test('the mirrors are those that the file has now, and the last good ones when it has become wrong', async () => {
  await writeFile(path, mirrorTo('one.example.com'));
  const { read } = await open(path);
  expect((await read())[0]?.mirrors).toEqual(['one.example.com']);
  await writeFile(path, mirrorTo('another.example.com'));
  expect((await read())[0]?.mirrors).toEqual(['another.example.com']);
  await writeFile(path, 'imageDigestMirrors: [');
  expect((await read())[0]?.mirrors).toEqual(['another.example.com']);
  await rm(path);
  expect((await read())[0]?.mirrors).toEqual(['another.example.com']);
  await writeFile(path, mirrorTo('third.example.com'));
  expect((await read())[0]?.mirrors).toEqual(['third.example.com']);
});

test('listeners are notified of a new valid version, not of an invalid one', async () => {
  await writeFile(path, mirrorTo('one.example.com'));
  const config = await open(path);
  const seen: (string | undefined)[] = [];
  using _ = config.watch(() => {
    void config.read().then(([entry]) => seen.push(entry?.mirrors[0]));
  });
  await writeFile(path, 'imageDigestMirrors: [');
  await writeFile(path, mirrorTo('another.example.com'));
  await eventually(() => expect(seen).toEqual(['another.example.com']));
});

test('without a file there are no mirrors', async () => {
  expect(await (await open(undefined)).read()).toEqual([]);
});

test.each([
  { name: 'is not there', text: undefined, message: 'no such file or directory' },
  { name: 'is no YAML', text: 'a: [', message: 'registries.yaml: ' },
  {
    name: 'has a wrong field',
    text: 'imageDigestMirrors:\n- source: https://quay.io\n',
    message: 'registries.yaml, imageDigestMirrors[0].source: expected a registry',
  },
  { name: 'is too large', text: `#${'x'.repeat(1024 * 1024)}`, message: 'more than the limit of 1048576 bytes' },
])('a file that $name is refused at the start', async ({ text, message }) => {
  if (text !== undefined) await writeFile(path, text);
  const thrown: unknown = await open(path).catch((error: unknown) => error);
  expect(thrown).toMatchObject({ name: 'TerminalError', reason: 'InvalidOption' });
  expect((thrown as Error).message).toMatch(/^--registry-config /);
  expect((thrown as Error).message).toContain(message);
});
