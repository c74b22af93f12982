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
  readonly bytes?: number;
}

async function iconFor({ statusCode = 200, type = 'image/png', etag = '"x"', bytes = 10 }: Answer): Promise<unknown> {
  const requests: WireRequest[] = [];
  const body = Readable.from([Buffer.alloc(bytes, 1)]);
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
  const bytes = Buffer.alloc(10, 1);
  expect(await iconFor({})).toEqual({ mediaType: 'image/png', bytes });
  expect(await iconFor({ type: 'image/svg+xml; charset=utf-8' })).toEqual({ mediaType: 'image/svg+xml', bytes });
});

test.each<[string, Answer]>([
  ['the picture of the package server for packages without one', { type: 'image/svg+xml', etag: '' }],
  ['a page', { type: 'text/html' }],
  ['an unknown type', { type: 'image/x-icon' }],
  ['nothing', { bytes: 0 }],
  ['more than is shown', { bytes: 600 * 1024 }],
  ['a refusal', { statusCode: 403 }],
])('%s is no icon', async (_, answer) => {
  expect(await iconFor(answer)).toBeUndefined();
});
