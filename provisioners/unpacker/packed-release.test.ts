import { deserialize } from 'node:v8';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { packRelease, releaseHandlers } from './packed-release.ts';
import type { PackedRelease } from './unpacker.ts';

const what = 'Secret "sh.helm.release.v1.a.v1"';
const { signal } = new AbortController();

function packed(bytes: Buffer): PackedRelease {
  return { what, data: Buffer.from(bytes.toString('base64')).toString('base64') };
}

async function objectsOf(bytes: Buffer): Promise<readonly JsonObject[]> {
  const pieces = await releaseHandlers.releaseObjects(packed(bytes), { signal } as never);
  return pieces.flatMap((piece) => deserialize(piece) as JsonObject[]);
}

test.each([
  { what: 'compressed', pack: (text: string) => gzipSync(text) },
  { what: 'as Helm 2 left it', pack: (text: string) => Buffer.from(text) },
])('the objects of a release are read, $what', async ({ pack }) => {
  const manifest = '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n---\n---\nkind: Nothing\n';
  const objects = await objectsOf(pack(JSON.stringify({ name: 'a', manifest })));
  const metadata = { name: 'a', namespace: 'b' };
  expect(objects).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }, { kind: 'Nothing' }]);
});

test('a release that is superseded stays what it is otherwise', async () => {
  const release = { name: 'a', info: { status: 'deployed', first_deployed: 'then' } };
  const before = { what, data: await packRelease(release) };
  const data = await releaseHandlers.supersedeRelease(before, { signal } as never);
  expect(data).toBe(await packRelease({ ...release, info: { ...release.info, status: 'superseded' } }));
  expect(await releaseHandlers.releaseStart({ what, data }, { signal } as never)).toBe('then');
});

test.each([
  { what: 'no data', bytes: Buffer.alloc(0), text: 'Unexpected end' },
  { what: 'noise', bytes: Buffer.from([0x1f, 0x8b, 1, 2, 3]), text: '' },
  { what: 'another JSON', bytes: gzipSync('[]'), text: 'expected a release of Helm, found something else' },
  { what: 'no manifest', bytes: gzipSync('{}'), text: 'expected a release of Helm with a manifest, found none' },
  { what: 'more than may be unpacked', bytes: gzipSync(Buffer.alloc(33 * 1024 * 1024)), text: '' },
  { what: 'very many values', bytes: gzipSync(`{"a":[${'{},'.repeat(500_000)}1]}`), text: 'more than 500000 values' },
])('a Secret with $what is refused, and named', async ({ bytes, text }) => {
  const refused = objectsOf(bytes);
  await expect(refused).rejects.toMatchObject({ reason: 'UnreadableRelease' });
  await expect(refused).rejects.toThrow(`${what}: `);
  await expect(refused).rejects.toThrow(text);
});

test('a manifest with very many values is refused', async () => {
  const manifest = `a: [${'{},'.repeat(500_000)}]`;
  await expect(objectsOf(gzipSync(JSON.stringify({ manifest })))).rejects.toMatchObject({ reason: 'TooManyValues' });
});
