import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { WireRequest } from '../../../src/kube/index.ts';
import type { Session } from '../sessions.ts';
import { readIcon } from './manifest-icon.ts';

interface Answer {
  readonly statusCode?: number;
  readonly type?: string;
  readonly etag?: string;
  readonly content?: Buffer;
}

const picture = Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1');
const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');

async function iconFor({
  statusCode = 200,
  type = 'image/gif',
  etag = '"x"',
  content = picture,
}: Answer): Promise<unknown> {
  const requests: WireRequest[] = [];
  const body = Readable.from([content]);
  const answer = Object.assign(body, { statusCode, headers: { 'content-type': type, etag } });
  const open = async (request: WireRequest): Promise<IncomingMessage> => {
    requests.push(request);
    return await Promise.resolve(answer as unknown as IncomingMessage);
  };
  const found = await readIcon({ transport: { open } } as unknown as Session, 'olm', 'tide-gauge');
  expect(requests.map(({ path }) => path)).toEqual([
    '/apis/packages.operators.coreos.com/v1/namespaces/olm/packagemanifests/tide-gauge/icon',
  ]);
  expect(body.destroyed).toBe(true);
  return found;
}

test('the icon of a package is what the package server has, without parameters of its type', async () => {
  expect(await iconFor({})).toEqual({ mediaType: 'image/gif', bytes: picture });
  const drawn = await iconFor({ type: 'image/svg+xml; charset=utf-8', content: drawing });
  expect(drawn).toEqual({ mediaType: 'image/svg+xml', bytes: drawing });
});

test.each<[string, Answer]>([
  ['the picture of the package server for packages without one', { type: 'image/svg+xml', etag: '', content: drawing }],
  ['a page', { type: 'text/html' }],
  ['an unknown type', { type: 'image/x-icon' }],
  ['nothing', { content: Buffer.alloc(0) }],
  ['more than is shown', { content: Buffer.concat([picture, Buffer.alloc(600 * 1024)]) }],
  ['a refusal', { statusCode: 403 }],
])('%s is no icon', async (_, answer) => {
  expect(await iconFor(answer)).toBeUndefined();
});
