import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileWriter, flushBytes } from './file-writer.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'file-writer-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

test('pieces stand one behind the other, more of them than one call takes', async () => {
  const path = join(dir, 'file');
  const pieces = Array.from({ length: 3000 }, (_, at) => randomBytes(at % 7 === 0 ? 5000 : 11));
  await using handle = await open(path, 'w');
  const writer = new FileWriter(handle);
  for (const piece of pieces) writer.append(piece);
  await writer.relieve();
  writer.append(Buffer.from('the end'));
  await writer.flush();
  const expected = Buffer.concat([...pieces, Buffer.from('the end')]);
  expect(writer.endOffset).toBe(expected.length);
  expect((await readFile(path)).equals(expected)).toBe(true);
});

test('it starts at the given offset', async () => {
  const path = join(dir, 'file');
  await using handle = await open(path, 'w');
  await handle.write('what was there');
  const writer = new FileWriter(handle, 'what was there'.length);
  writer.append(Buffer.from(' and more'));
  await writer.flush();
  expect(await readFile(path, 'utf8')).toBe('what was there and more');
});

test('a failed write is reported by the next call', async () => {
  const path = join(dir, 'file');
  await writeFile(path, '');
  await using readOnly = await open(path, 'r');
  const writer = new FileWriter(readOnly);
  writer.append(Buffer.alloc(flushBytes));
  await writer.relieve();
  await expect(writer.flush()).rejects.toThrow('EBADF');
  await writer.abandon();
});

test('a small part of a large buffer does not keep it: what was copied is written', async () => {
  const path = join(dir, 'file');
  await using handle = await open(path, 'w');
  const writer = new FileWriter(handle);
  const buffer = Buffer.from('small'.padEnd(1000));
  writer.append(buffer.subarray(0, 5));
  buffer.fill('x');
  await writer.flush();
  expect(await readFile(path, 'utf8')).toBe('small');
});
