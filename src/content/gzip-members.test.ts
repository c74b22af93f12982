import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { gzipMembers } from './gzip-members.ts';

async function* inPieces(...pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield await Promise.resolve(piece);
}

async function compressed(...pieces: readonly Buffer[]): Promise<Buffer> {
  const members: Buffer[] = [];
  for await (const piece of gzipMembers(inPieces(...pieces))) members.push(piece);
  return Buffer.concat(members);
}

const mebibyte = 1024 * 1024;

test.each([
  ['nothing', []],
  ['one byte', [Buffer.from('a')]],
  ['what does not compress, to the edge of a block', [randomBytes(65_535)]],
  ['a byte behind it', [randomBytes(65_536)]],
  ['several members of it', [randomBytes(3 * mebibyte + 17), randomBytes(100)]],
  ['text', [Buffer.alloc(2 * mebibyte + 5, 'all the same. ')]],
  [
    'both in turn',
    [Buffer.alloc(mebibyte, 'text '), randomBytes(mebibyte), Buffer.alloc(mebibyte), randomBytes(70_000)],
  ],
])('every reader gets back %s', async (_, pieces) => {
  const file = await compressed(...pieces);
  const read = file.length === 0 ? Buffer.alloc(0) : gunzipSync(file);
  expect(read.equals(Buffer.concat(pieces))).toBe(true);
});

test('what does not compress grows by its frame only', async () => {
  const content = randomBytes(mebibyte);
  const file = await compressed(content);
  expect(file.length - content.length).toBeLessThan(120);
});
